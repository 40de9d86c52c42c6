"""Keeps PyTorch to its CPU build: on Linux the one on PyPI brings gigabytes of CUDA that nothing here uses."""

from __future__ import annotations

import re
import subprocess
import sys

from environment import Environment

_CPU_INDEX = "https://download.pytorch.org/whl/cpu"


def cpu_arguments(environment: Environment) -> list[str]:
    """What to add to a `pip install`. Naming the build makes pip fail rather than take another."""
    if sys.platform != "linux":
        return []
    pin = re.search(r"^torch==(\S+)$", environment.constraints.read_text("utf-8"), re.MULTILINE)
    if pin is None:
        raise ValueError(f"{environment.constraints} does not pin torch")
    build = f"{pin[1]}+cpu"
    index = [] if _is_offered(environment, build) else ["--extra-index-url", _CPU_INDEX]
    return [*index, f"torch=={build}"]


def _is_offered(environment: Environment, build: str) -> bool:
    """Whether the sources that pip is set up for have this build already, as a machine with a mirror may."""
    listing = subprocess.run(
        [environment.python, "-m", "pip", "index", "versions", "torch"],
        capture_output=True,
        text=True,
        check=False,
    )
    return build in re.split(r"[,\s]+", listing.stdout)
