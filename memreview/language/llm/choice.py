"""Which language model the person chose: the bundled one, a file of their own, or a server that they run."""

from __future__ import annotations

import hashlib
import ipaddress
import os
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from memreview.language import model_files
from memreview.language.llm.local import LocalModel
from memreview.language.llm.model import LanguageModel
from memreview.language.llm.server import ServerModel
from memreview.language.model_files import RuntimeState
from memreview.language.onnx_model import ModelUnavailable

BUNDLED = next(file for file in model_files.CATALOGUE if file.name.endswith(".gguf"))
_MAGIC = b"GGUF"


class Off(msgspec.Struct, frozen=True, tag="off"):
    """No language model: everything goes by the rules."""


class Bundled(msgspec.Struct, frozen=True, tag="bundled"):
    """The small model that the set-up fetches."""


class File(msgspec.Struct, frozen=True, tag="file"):
    """A GGUF file where the person keeps it. `sha256` is from when it was chosen: another file there is refused."""

    path: str
    sha256: str
    size: int
    modified: int


class Server(msgspec.Struct, frozen=True, tag="server"):
    """An OpenAI-compatible server. Texts leave this program, and with `elsewhere` this computer."""

    url: str
    model: str
    elsewhere: bool = False


Choice = Off | Bundled | File | Server


class LeavesComputer(ValueError):
    """The server is not on this computer, and the person has not said that this is meant."""


def file(path: Path) -> File:
    """Reads the whole file once. Raises `ModelUnavailable`."""
    try:
        with path.open("rb") as stream:
            if stream.read(len(_MAGIC)) != _MAGIC:
                raise ModelUnavailable(f"The file {path.name} is not a GGUF file.")
            stream.seek(0)
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            found = os.fstat(stream.fileno())
    except OSError as error:
        raise ModelUnavailable(f"The file {path.name} can't be read.") from error
    return File(str(path.resolve()), digest, found.st_size, found.st_mtime_ns)


def server(url: str, model: str, *, elsewhere: bool = False) -> Server:
    """Raises `LeavesComputer`, and `ValueError` where it is no address of a server."""
    parts = urlsplit(url.strip())
    try:
        whole = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        whole = None
    if not whole or parts.username or parts.query or parts.fragment:
        raise ValueError("This is not the address of a server. Write it like http://localhost:8080/v1.")
    if not is_here(parts.hostname or "") and not elsewhere:
        raise LeavesComputer(f"{parts.hostname} is not this computer: your texts would leave it.")
    return Server(url.strip().rstrip("/"), model.strip(), elsewhere)


def is_here(host: str) -> bool:
    """No name but "localhost" is looked up: another may point anywhere tomorrow."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def open_model(choice: Choice) -> LanguageModel:
    """Nothing is loaded before the first request. Raises `ModelUnavailable`."""
    if reason := problem(choice):
        raise ModelUnavailable(reason)
    match choice:
        case Bundled():
            if reason := BUNDLED.status(verify=True).reason:
                raise ModelUnavailable(reason)
            return LocalModel(model_id(choice), name(choice), BUNDLED.path())
        case File(path=path):
            if _modified(choice) and file(Path(path)).sha256 != choice.sha256:
                raise ModelUnavailable(
                    f"The file {Path(path).name} is another one than was chosen. Choose it again in Settings."
                )
            return LocalModel(model_id(choice), name(choice), Path(path))
        case Server(url=url, model=model):
            return ServerModel(model_id(choice), name(choice), url, model)
    raise ModelUnavailable("No language model is chosen.")


def problem(choice: Choice) -> str:
    """Why the model can't be run, as far as one sees without reading a file; "" if nothing speaks against it."""
    if isinstance(choice, Off | Server):
        return ""
    if isinstance(choice, Bundled) and (reason := BUNDLED.status().reason):
        return reason
    if isinstance(choice, File) and not Path(choice.path).is_file():
        return f"The file {Path(choice.path).name} is no longer where it was."
    build = model_files.llama_build_state()
    if build.state == RuntimeState.BUILDING:
        return "llama.cpp, which runs the model, is still being compiled."
    if build.state != RuntimeState.READY:
        return f"llama.cpp, which runs the model, can't be used. {build.reason}".strip()
    return ""


def model_id(choice: Choice) -> str:
    """Names the weights: cards and kept answers are of one id."""
    match choice:
        case Bundled():
            return f"gguf:{BUNDLED.sha256}"
        case File(sha256=sha256):
            return f"gguf:{sha256}"
        case Server(url=url, model=model):
            return f"server:{url}:{model}"
    return ""


def name(choice: Choice) -> str:
    match choice:
        case Bundled():
            return Path(BUNDLED.name).stem
        case File():
            return Path(choice.path).name
        case Server():
            return f"{choice.model or 'the model'} at {choice.url}"
    return "none"


def _modified(chosen: File) -> bool:
    found = Path(chosen.path).stat()
    return (found.st_size, found.st_mtime_ns) != (chosen.size, chosen.modified)
