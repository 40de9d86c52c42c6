"""A real HTTP server on this computer that speaks as an OpenAI-compatible one does, and says what it is told to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[dict[str, Any]], tuple[int, bytes | str | dict[str, Any]]]


class Told:
    """`asked` holds the requests that came, `url` is what the program is given."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.url = ""


def answer(content: str, finish: str = "stop") -> dict[str, Any]:
    return {"choices": [{"message": {"content": content}, "finish_reason": finish}]}


def tokens(**log_probabilities: float) -> dict[str, Any]:
    top = [{"token": token, "logprob": value} for token, value in log_probabilities.items()]
    return {"choices": [{"message": {"content": "x"}, "logprobs": {"content": [{"top_logprobs": top}]}}]}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that broke off is no error here."""


@contextmanager
def serving(reply: Reply) -> Iterator[Told]:
    told = Told(reply)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.asked.append(request)
            told.paths.append(self.path)
            status, body = told.reply(request)
            raw = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "http://example.com/elsewhere")
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with _Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        told.url = f"http://127.0.0.1:{server.server_port}/v1"
        yield told
        server.shutdown()


def silent(request: dict[str, Any]) -> tuple[int, str]:
    time.sleep(3)
    return 200, "{}"


def knowing(request: dict[str, Any]) -> tuple[int, Any]:
    """A model that passes: it answers the cases of the probe, and what else it is asked with nonsense."""
    text = request["messages"][-1]["content"]
    if "logprobs" in request:
        follows = any(words in text for words in ("child", "walnuts\n", "any more", "a nurse\n", "short", "every week"))
        yes = follows or text.endswith(("Can't eat walnuts", "Works as a nurse"))
        return 200, tokens(Yes=-0.1 if yes else -3.0, No=-3.0 if yes else -0.1)
    return 200, answer(json.dumps(_REPLIES.get(text, {"note": "x"}), ensure_ascii=False))


_REPLIES = {
    "please never use tables, I read on my phone": {"note": "Wants no tables"},
    "my daughter Ada turned 7, party ideas?": {"note": "Daughter Ada is 7"},
    "we don't own a car": {"note": "Doesn't own a car"},
    "I hate coriander with a passion": {"note": "Dislikes coriander"},
    "I've switched from Python to Rust for all my code": {"note": "Prefers Rust for all code"},
    "I'm on the night shift at the port of Antwerp": {"note": "Works the night shift at the port of Antwerp"},
}
