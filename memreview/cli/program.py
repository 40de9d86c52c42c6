"""How to call the program again: what stands before every command that is printed to be typed."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path


def command(arguments: argparse.Namespace) -> str:
    """How to call us again for the same profile."""
    home = f" --home {_quoted(str(arguments.home))}" if arguments.home else ""
    return f"{_started_as()}{home}"


def _started_as() -> str:
    """How to call the program again from the same shell."""
    if shutil.which("memreview"):
        return "memreview"
    script = Path(sys.argv[0]).stem == "memreview"
    return _quoted(sys.argv[0]) if script else f"{_quoted(sys.executable)} -m memreview"


def _quoted(word: str) -> str:
    return subprocess.list2cmdline([word]) if os.name == "nt" else shlex.quote(word)
