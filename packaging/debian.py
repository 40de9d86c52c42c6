"""System packages on Debian and its kin: installed where we may, else named in one command to run."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from console import SetupError, Show, run


def may_install() -> bool:
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def command_for(packages: Sequence[str]) -> str:
    return f"sudo apt-get update && sudo apt-get install -y {' '.join(packages)}"


def install(packages: Sequence[str], what: str, log: Path, show: Show) -> None:
    """`what` names in plain words what is missing. Raises `SetupError` where the person has to do it."""
    if not may_install():
        raise SetupError(
            f"{what} is missing. On Debian or Ubuntu, run\n\n    {command_for(packages)}\n\n"
            "(on other systems, install the same by your system's means), then the same command again."
        )
    env = {"DEBIAN_FRONTEND": "noninteractive"}
    run(["apt-get", "update"], log, show, env)
    run(["apt-get", "install", "-y", "--no-install-recommends", *packages], log, show, env)
