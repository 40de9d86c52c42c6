"""What a person sees while set-up works: one line a step, kept up to date on a terminal and plain elsewhere."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

Show = Callable[[str], None]

_TICK_S = 0.5
_PLAIN_EVERY_S = 60
_TAIL_BYTES = 30_000
# The lines in which pip and apt-get, and a compiling ninja, say what they are at.
_DOING = re.compile(r"^\s*((?:Collecting|Downloading|Building|Installing collected|Unpacking|Setting up) .*)")
_COMPILING = re.compile(r"^\s*\[(\d+)/(\d+)\] ")


class SetupError(Exception):
    """Set-up can't go on; the message says why and what to do."""


class CommandError(SetupError):
    """A command failed; `output` is the end of what it wrote."""

    def __init__(self, command: Sequence[str | Path], log: Path) -> None:
        super().__init__(f"This command failed: {' '.join(map(str, command))}\nIts whole output: {log}")
        self.output = "\n".join(tail(log)[-15:])


class Progress:
    """One step on the screen: `show` puts what it is at beside the time it has taken."""

    def __init__(self, label: str, usual: str) -> None:
        self._label = label
        self._usual = usual
        self._live = sys.stdout.isatty()
        self._start = self._shown = time.monotonic()

    def __enter__(self) -> Progress:
        print(f"{self._label} (usually {self._usual})", end="" if self._live else "\n", flush=True)
        return self

    def show(self, activity: str) -> None:
        line = f"{self._label}: {self._elapsed()} (usually {self._usual})  {activity}"
        if self._live:
            self._rewrite(line)
        elif time.monotonic() - self._shown > _PLAIN_EVERY_S:
            self._shown = time.monotonic()
            print(line, flush=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._rewrite(f"{self._label}: {'done' if kind is None else 'stopped'} after {self._elapsed()}")
        print(flush=True)

    def _elapsed(self) -> str:
        minutes, seconds = divmod(round(time.monotonic() - self._start), 60)
        return f"{minutes}:{seconds:02}"

    def _rewrite(self, line: str) -> None:
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            line = "\r" + line[:width].ljust(width)
        print(line, end="", flush=True)


def run(command: Sequence[str | Path], log: Path, show: Show, env: Mapping[str, str] | None = None) -> None:
    """Runs a command with its output in the log, and shows what it is at. Raises `CommandError`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as out:
        print("\n$", *command, file=out, flush=True)
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
        )
        try:
            while process.poll() is None:
                _wait(process)
                show(last_activity(log))
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    if process.returncode:
        raise CommandError(command, log)


def tail(log: Path) -> list[str]:
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        return stream.read().decode("utf-8", "replace").splitlines()


def last_activity(log: Path) -> str:
    for line in reversed(tail(log)):
        if doing := _DOING.match(line):
            return doing[1]
        if compiling := _COMPILING.match(line):
            return f"{compiling[1]} of {compiling[2]} files compiled"
    return ""


def _wait(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_TICK_S)
