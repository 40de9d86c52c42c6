"""The virtual environment beside the code: where its parts are, how it is made, and the stamp of what it holds."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import platform
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import debian
from console import Show, run

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Environment:
    """`root` is the checkout, `folder` its virtual environment."""

    root: Path = ROOT

    @property
    def folder(self) -> Path:
        return self.root / ".venv"

    @property
    def log(self) -> Path:
        return self.folder / "bootstrap.log"

    @property
    def constraints(self) -> Path:
        return self.root / "packaging" / "constraints.txt"

    @property
    def python(self) -> Path:
        return self.script("python")

    def script(self, name: str) -> Path:
        if os.name == "nt":
            return self.folder / "Scripts" / f"{name}.exe"
        return self.folder / "bin" / name

    def installed(self, package: str) -> bool:
        """Whether the version that `constraints.txt` names is there; `package` as its dist-info folder spells it."""
        pin = re.search(rf"^{re.escape(package)}==(\S+)$", self.constraints.read_text("utf-8"), re.MULTILINE)
        return pin is not None and self._holds(f"{package}-{pin[1]}.dist-info")

    def exists(self) -> bool:
        return self.python.exists() and self._holds("pip")

    def create(self, show: Show) -> None:
        if importlib.util.find_spec("ensurepip") is None:
            debian.install(["python3-venv"], "Python's venv module", self.log, show)
        # What another Python left behind would be mixed with the new one.
        clear = ["--clear"] if (self.folder / "pyvenv.cfg").exists() and not self.python.exists() else []
        run([sys.executable, "-m", "venv", *clear, self.folder], self.log, show)

    def pip(self, *arguments: str | Path, log: Path, show: Show, env: dict[str, str] | None = None) -> None:
        quiet = ["--disable-pip-version-check", "--no-input"]
        run([self.python, "-m", "pip", *arguments, *quiet], log, show, env)

    def is_stamped(self, goal: str) -> bool:
        stamps = self._stamps()
        return goal in stamps and stamps[goal] == self.fingerprint()

    def stamp(self, goal: str) -> None:
        stamps = {**self._stamps(), goal: self.fingerprint()}
        write_json(self.folder / "bootstrap.json", stamps)

    def fingerprint(self) -> str:
        """Changes with whatever decides what gets installed: the pins, and the Python that runs them."""
        digest = hashlib.sha256()
        for file in (self.root / "pyproject.toml", self.constraints, self.folder / "pyvenv.cfg"):
            digest.update(file.read_bytes())
        digest.update(f"{platform.system()} {platform.machine()} {self.root}".encode())
        return digest.hexdigest()

    def _stamps(self) -> dict[str, str]:
        try:
            stamps: dict[str, str] = json.loads((self.folder / "bootstrap.json").read_text("utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return {}
        return stamps

    def _holds(self, name: str) -> bool:
        pattern = "Lib/site-packages" if os.name == "nt" else "lib/python3*/site-packages"
        return any(self.folder.glob(f"{pattern}/{name}"))


def write_json(path: Path, value: object) -> None:
    """Readers see the old file or the new one, never a part."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value, indent=1), "utf-8")
    part.replace(path)


@contextlib.contextmanager
def exclusive(path: Path, show: Show) -> Iterator[None]:
    """Waits until no other process holds this lock. It goes with its process, so a crash leaves nothing locked."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as lock:
        while not _try_lock(lock.fileno()):
            show("waiting for another set-up to end")
            time.sleep(1)
        yield


def _try_lock(file: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
