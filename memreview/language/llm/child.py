"""The process that a GGUF model lives in, so that a crash or too little memory in native code costs a retry.

One JSON object a line. In: {"id", "do": "load" | "write" | "log_probabilities", …}, {"cancel": id}. Out: {"id", "done"}
or {"id", "error": {"kind", "message"}}. It ends with its input, and after a while without work: memory comes back.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from pathlib import Path
from typing import IO, Any

import msgspec

from memreview.language.llm.engine import Engine, Stopped
from memreview.language.llm.model import Message
from memreview.language.onnx_model import ModelUnavailable

IDLE_SECONDS = 600.0


class Child:
    def __init__(self, output: IO[bytes]) -> None:
        self._output = output
        self._asked: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._cancelled: set[int] = set()
        self._engine: Engine | None = None
        self._ended = False

    def run(self, lines: IO[bytes]) -> None:
        threading.Thread(target=self._listen, args=(lines,), daemon=True).start()
        while True:
            try:
                asked = self._asked.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                return
            if asked is None:
                return
            self._send({"id": asked["id"], **self._answer(asked)})

    def _listen(self, lines: IO[bytes]) -> None:
        for line in lines:
            message = msgspec.json.decode(line)
            if "cancel" in message:
                self._cancelled.add(message["cancel"])
            else:
                self._asked.put(message)
        self._ended = True
        self._asked.put(None)

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"done": self._do(asked)}
        except Stopped:
            return {"error": {"kind": "Stopped", "message": ""}}
        except ModelUnavailable as error:
            return {"error": {"kind": type(error).__name__, "message": str(error)}}

    def _do(self, asked: dict[str, Any]) -> Any:
        if asked["do"] == "load":
            self._engine = Engine(Path(asked["path"]), asked["threads"])
            return self._engine.loaded
        assert self._engine is not None, "a model is loaded first"
        self._engine.stopped = lambda: self._ended or asked["id"] in self._cancelled
        talk = msgspec.convert(asked["talk"], list[Message])
        if asked["do"] == "write":
            return self._engine.write(talk, asked["schema"], asked["max_tokens"])
        return self._engine.log_probabilities(talk, asked["choices"])

    def _send(self, message: dict[str, Any]) -> None:
        self._output.write(msgspec.json.encode(message) + b"\n")
        self._output.flush()


def main() -> int:
    # Whatever a library prints must not get between the lines of the protocol.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    Child(output).run(sys.stdin.buffer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
