"""A language model behind an OpenAI-compatible server that the person runs (llama-server, vLLM, …), over plain HTTP.

No proxy and no redirect: texts go to the address that was confirmed and nowhere else.
"""

from __future__ import annotations

import http.client
import re
import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import msgspec

from memreview.language.llm.model import BadAnswer, Check, MissingToken, Talk
from memreview.language.onnx_model import ModelUnavailable

POLL_SECONDS = 0.03
_SECONDS = 600
_MAX_ANSWER = 4_000_000
_TOP = 20
"""Likeliest tokens that a server is asked to name; more than this most refuse."""

_MARKER = re.compile(r"<(?=[|/]?\w[\w|▁ ]*\|?>)|\[(?=/?[A-Z_]{2,}\])", re.ASCII)
"""What looks like a token of some chat template. A server would take it for one, so it gets a space."""


class ServerUnavailable(ModelUnavailable):
    advice = "Start the server, or choose another model in Settings."


class ServerModel:
    def __init__(self, id: str, name: str, url: str, model: str) -> None:
        """`url` ends where "/chat/completions" follows."""
        self.id = id
        self.name = name
        self._parts = urlsplit(url)
        self._model = model
        self._one = threading.Lock()

    def write(self, talk: Talk, schema: Mapping[str, Any], max_tokens: int, check: Check) -> str:
        wanted = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
        choice = self._ask({**self._request(talk, max_tokens), "response_format": wanted}, check)
        if choice.finish_reason == "length":
            raise BadAnswer(f"The model's answer did not end within {max_tokens} tokens.")
        return choice.message.content or ""

    def log_probabilities(self, talk: Talk, choices: Sequence[str], check: Check) -> list[float]:
        choice = self._ask({**self._request(talk, 1), "logprobs": True, "top_logprobs": _TOP}, check)
        tokens = choice.logprobs.content[0].top_logprobs if choice.logprobs and choice.logprobs.content else []
        found = {one.token: one.logprob for one in reversed(tokens)}
        if any(word not in found for word in choices):
            raise MissingToken("The server's answer does not tell how likely the words of a verdict were.")
        return [found[word] for word in choices]

    def close(self) -> None:
        """Nothing is held."""

    def _request(self, talk: Talk, max_tokens: int) -> dict[str, Any]:
        turns = [{"role": turn.role, "content": _MARKER.sub(r"\g<0> ", turn.content)} for turn in talk]
        return {"model": self._model, "messages": turns, "max_tokens": max_tokens, "temperature": 0, "seed": 0}

    def _ask(self, request: dict[str, Any], check: Check) -> _Choice:
        while not self._one.acquire(timeout=POLL_SECONDS):
            check()
        try:
            body = _Exchange(self._parts, msgspec.json.encode(request)).result(check)
        finally:
            self._one.release()
        try:
            return msgspec.json.decode(body, type=_Completion).choices[0]
        except (msgspec.MsgspecError, IndexError) as error:
            raise BadAnswer("The server answered, but not as an OpenAI-compatible server does.") from error


class _Exchange:
    """One POST on a thread of its own, so that it can be broken off while the server is silent."""

    def __init__(self, parts: Any, body: bytes) -> None:
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=_SECONDS)
        self._path = parts.path + "/chat/completions"
        self._body = body
        self._status = 0
        self._answer = b""
        self._failed = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def result(self, check: Check) -> bytes:
        """Raises `ModelUnavailable`, and whatever `check` raises."""
        self._thread.start()
        try:
            while self._thread.is_alive():
                check()
                self._thread.join(POLL_SECONDS)
        except BaseException:
            self._break()
            raise
        if self._failed or not self._status:
            raise ServerUnavailable("The language model's server can't be reached, or broke off.")
        if self._status != 200:
            raise BadAnswer(f"The language model's server refused with status {self._status}.")
        return self._answer

    def _run(self) -> None:
        try:
            self._connection.request("POST", self._path, self._body, {"Content-Type": "application/json"})
            response = self._connection.getresponse()
            self._status, self._answer = response.status, response.read(_MAX_ANSWER)
        except (OSError, http.client.HTTPException):
            self._failed = True
        finally:
            self._connection.close()

    def _break(self) -> None:
        if (open_socket := self._connection.sock) is not None:
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)


class _TopToken(msgspec.Struct):
    token: str
    logprob: float


class _Token(msgspec.Struct):
    top_logprobs: list[_TopToken] = []


class _LogProbs(msgspec.Struct):
    content: list[_Token] | None = None


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None
    logprobs: _LogProbs | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
