"""A GGUF file that the person has, run by llama.cpp in a process of its own (`child`)."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from memreview.language.llm.model import FAILURES, Check, ModelDied, Talk
from memreview.language.onnx_model import ModelUnavailable

POLL_SECONDS = 0.03
_STOP_SECONDS = 1.0  # from being asked to stop to being made to
_TRIES = 2  # the first, and one after it was started again

COMMAND = (sys.executable, "-m", "memreview.language.llm.child")


class LocalModel:
    """Starts its process with the first request, again after it died, and again after it ended for want of work."""

    def __init__(self, id: str, name: str, path: Path) -> None:
        self.id = id
        self.name = name
        self.path = path
        self._one = threading.Lock()
        self._process: _Process | None = None

    def write(self, talk: Talk, schema: Mapping[str, Any], max_tokens: int, check: Check) -> str:
        return str(self._ask({"do": "write", "talk": talk, "schema": schema, "max_tokens": max_tokens}, check)["text"])

    def log_probabilities(self, talk: Talk, choices: Sequence[str], check: Check) -> list[float]:
        found: list[float] = self._ask({"do": "log_probabilities", "talk": talk, "choices": choices}, check)
        return found

    def close(self) -> None:
        with self._one:
            self._end()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def _ask(self, request: dict[str, Any], check: Check) -> Any:
        while not self._one.acquire(timeout=POLL_SECONDS):
            check()
        try:
            for _ in range(_TRIES):
                try:
                    return self._running(check).ask(request, check)
                except _Died as died:
                    self._end()
                    how = died
            raise ModelDied(f"The language model's process {how}, and did so again when it was started again.")
        finally:
            self._one.release()

    def _running(self, check: Check) -> _Process:
        if self._process is None or self._process.ended:
            self._end()
            self._process = _Process()
            try:
                self._process.ask({"do": "load", "path": str(self.path), "threads": threads()}, check)
            except BaseException:
                self._end()
                raise
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


def threads() -> int:
    """One core is left to the rest: llama.cpp's threads wait for each other busily, so on two busy cores two threads
    were 3 to 28 times slower than one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)


class _Died(Exception):
    """Its words go on "The process …"."""


class _Process:
    def __init__(self) -> None:
        # What native code prints may quote a text of the person's, so nobody keeps it.
        self._child = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()
        self._last = 0

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def ended(self) -> bool:
        return self._child.poll() is not None

    def ask(self, request: dict[str, Any], check: Check) -> Any:
        """Raises `_Died`, what the child reports, and whatever `check` raises."""
        self._last += 1
        self._send({"id": self._last, **request})
        while True:
            try:
                check()
            except BaseException:
                self._stop()
                raise
            if (answer := self._answer(POLL_SECONDS)) is not None:
                return _result(answer)

    def close(self) -> None:
        if self._child.poll() is None:
            self._child.kill()  # it keeps nothing
        self._child.wait()
        self._reader.join()
        for pipe in (self._child.stdin, self._child.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()

    def _stop(self) -> None:
        """Wait for the answer to the request under way, which soon says that it was stopped."""
        end = monotonic() + _STOP_SECONDS
        try:
            self._send({"cancel": self._last})
            while self._answer(POLL_SECONDS) is None:
                if monotonic() > end:
                    self._child.kill()
        except _Died:
            pass  # the next request starts another one

    def _answer(self, seconds: float) -> dict[str, Any] | None:
        """The answer to the last request, None as long as there is none."""
        try:
            answer = self._answers.get(timeout=seconds)
        except queue.Empty:
            return None
        if answer is None:
            raise _Died(_how(self._child.wait()))
        return answer if answer["id"] == self._last else None

    def _send(self, message: dict[str, Any]) -> None:
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(msgspec.json.encode(message) + b"\n")
            self._child.stdin.flush()
        except BrokenPipeError as error:
            raise _Died(_how(self._child.wait())) from error

    def _listen(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            self._answers.put(msgspec.json.decode(line))
        self._answers.put(None)


def _result(answer: dict[str, Any]) -> Any:
    if "error" not in answer:
        return answer["done"]
    told = answer["error"]
    raise FAILURES.get(told["kind"], ModelUnavailable)(told["message"])


def _how(code: int) -> str:
    """How it ended, by its exit status; a negative one is the number of a signal."""
    if code in (-9, 137):
        return "was killed, as happens when memory runs out"
    return f"crashed ({code})" if code else "ended"
