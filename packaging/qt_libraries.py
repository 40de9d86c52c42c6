"""The system libraries that Qt needs on Linux, found by loading what a window loads."""

from __future__ import annotations

import re
import subprocess
import sys

import debian
from console import SetupError, Show
from environment import Environment

# What QtWidgets and Qt's X11 and Wayland plugins link against, beyond what Debian has at the least.
PACKAGES = (
    "libdbus-1-3",
    "libegl1",
    "libfontconfig1",
    "libgl1",
    "libglib2.0-0",
    "libwayland-client0",
    "libwayland-cursor0",
    "libwayland-egl1",
    "libxcb-cursor0",
    "libxcb-icccm4",
    "libxcb-image0",
    "libxcb-keysyms1",
    "libxcb-randr0",
    "libxcb-render-util0",
    "libxcb-shape0",
    "libxcb-sync1",
    "libxcb-xfixes0",
    "libxcb-xkb1",
    "libxkbcommon-x11-0",
    "libxkbcommon0",
)

_LOAD = """
import ctypes, pathlib, PySide6.QtWidgets
plugins = pathlib.Path(PySide6.__file__).parent / "Qt" / "plugins" / "platforms"
for name in ("offscreen", "xcb", "wayland"):
    ctypes.CDLL(str(plugins / f"libq{name}.so"))
"""


def missing_library(environment: Environment) -> str | None:
    """The first library that the loader looks for in vain."""
    if sys.platform != "linux":
        return None
    loading = subprocess.run([environment.python, "-c", _LOAD], capture_output=True, text=True, check=False)
    if loading.returncode == 0:
        return None
    found = re.search(r"(\S+): cannot open shared object file", loading.stderr)
    if found is None:
        raise SetupError(f"Qt can't be loaded:\n{loading.stderr}")
    return found[1]


def ensure(environment: Environment, show: Show) -> None:
    library = missing_library(environment)
    if library is None:
        return
    debian.install(PACKAGES, f"{library}, a system library that the window needs,", environment.log, show)
    library = missing_library(environment)
    if library is not None:
        raise SetupError(f"The window needs the system library {library}, which Debian's packages did not bring.")
