"""The child process that runs models and long work, so that the window starts at once and never waits.

One JSON object a line. In: {"id", "job", "args"}, {"cancel": id}, {"quit": true}. Out: {"ready": true} once, then
{"id", "progress": [stage, done, total]}, {"id", "result"} or {"id", "error": {"kind", "message", "advice", "data"}}.
Three lanes: changes one after another, questions beside them, and what waits for the language model; each lane has its
own profile connection.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from memreview.exporters import ExportFailed
from memreview.importers.contract import ImportFailed
from memreview.importers.generic import NeedsMapping
from memreview.language.onnx_model import ModelUnavailable
from memreview.review import jobs
from memreview.review.profile import Profile
from memreview.review.values import Cancelled
from memreview.store.errors import StoreError

PROGRESS_EVERY = 0.1
_KNOWN = (NeedsMapping, ImportFailed, ExportFailed, StoreError, ModelUnavailable, Cancelled)


class Worker:
    def __init__(self, home: Path, output: IO[bytes]) -> None:
        self._home = home
        self._output = output
        self._writing = threading.Lock()
        self._cancelled: set[int] = set()
        self._lanes: dict[str, queue.Queue[dict[str, Any] | None]] = {lane: queue.Queue() for lane in jobs.LANES}

    def run(self, lines: IO[bytes]) -> None:
        """Serve until the input ends: the window is gone, and so is this."""
        threads = [threading.Thread(target=self._serve, args=(lane,), daemon=True) for lane in self._lanes.values()]
        for thread in threads:
            thread.start()
        self._send({"ready": True})
        for line in lines:
            message = json.loads(line)  # msgspec refuses the lone surrogates by which Python writes odd file names
            if message.get("quit"):
                break
            if "cancel" in message:
                self._cancelled.add(message["cancel"])
            else:
                lane = next((lane for lane, known in jobs.LANES.items() if message["job"] in known), "changes")
                self._lanes[lane].put(message)
        # What runs now is cut where it stands; the store is made for that.
        self._cancelled.update(range(1 << 16))

    def _serve(self, lane: queue.Queue[dict[str, Any] | None]) -> None:
        profile: Profile | None = None
        while (message := lane.get()) is not None:
            try:
                profile = profile or Profile.open(self._home)
                self._send({"id": message["id"], "result": self._run(profile, message)})
            except _KNOWN as error:
                self._send({"id": message["id"], "error": _described(error)})
            except Exception as error:  # the one crash boundary of the worker: it reports and goes on
                self._send({"id": message["id"], "error": _crash(error)})

    def _run(self, profile: Profile, message: dict[str, Any]) -> Any:
        job_id, last = message["id"], 0.0
        job = next(known[message["job"]] for known in jobs.LANES.values() if message["job"] in known)

        def progress(stage: str, done: int, total: int) -> None:
            nonlocal last
            if job_id in self._cancelled:
                raise Cancelled
            now = time.monotonic()
            if now - last >= PROGRESS_EVERY or done == total:
                last = now
                self._send({"id": job_id, "progress": [stage, done, total]})

        progress("starting", 0, 0)
        return job(profile, message.get("args") or {}, progress)

    def _send(self, message: dict[str, Any]) -> None:
        line = msgspec.json.encode(message) + b"\n"
        with self._writing, suppress(BrokenPipeError):  # the window is gone: nobody listens, and the input ends too
            self._output.write(line)
            self._output.flush()


def _described(error: Exception) -> dict[str, Any]:
    data = {"columns": error.columns, "rows": error.rows} if isinstance(error, NeedsMapping) else None
    kind = next(known.__name__ for known in _KNOWN if isinstance(error, known))
    return {"kind": kind, "message": str(error), "advice": getattr(error, "advice", ""), "data": data}


def _crash(error: Exception) -> dict[str, Any]:
    """Where it happened, without the exception's words: they may hold a text of the person's."""
    place = [
        f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    return {
        "kind": "Crash",
        "message": f"Something went wrong inside memreview ({type(error).__name__}).",
        "advice": "Nothing was lost. Try again, and report this if it happens twice.",
        "data": {"place": place},
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="memreview-worker")
    parser.add_argument("--home", type=Path, required=True)
    home: Path = parser.parse_args(argv).home
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all of a terminal; the window ends this
    # Whatever a library prints must not get between the lines of the protocol.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    Worker(home, output).run(sys.stdin.buffer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
