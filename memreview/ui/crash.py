"""The one crash boundary: a report in a file, shown to the person, never sent, and without anything of theirs in it."""

from __future__ import annotations

import platform
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from memreview import __version__


def report(kind: type[BaseException], trace: TracebackType | None) -> str:
    """Where it happened. No message, no values, no paths: any of them may quote a memory."""
    lines = [
        f"memreview {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        datetime.now(UTC).isoformat(timespec="seconds"),
        f"{kind.__module__}.{kind.__qualname__}",
    ]
    lines += [f"  {_short(frame.filename)}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)]
    return "\n".join(lines) + "\n"


def write(folder: Path, text: str) -> Path:
    path = folder / f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.txt"
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")
    return path


def install(folder: Path, show: Callable[[Path, str], None]) -> None:
    """From now on an unhandled exception, also one in a slot, is written to `folder` and given to `show`."""

    def hook(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, value, trace)
            return
        text = report(kind, trace)
        show(write(folder, text), text)

    sys.excepthook = hook


def _short(file_name: str) -> str:
    package = Path(__file__).parents[1]
    path = Path(file_name)
    return path.relative_to(package.parent).as_posix() if path.is_relative_to(package) else path.name
