"""A file, a folder or a zip seen as one list of members to be read as streams; nothing is ever extracted."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

import msgspec

from memreview.importers.contract import STANDARD, ImportFailed, Limits
from memreview.importers.stream import Malformed
from memreview.importers.text import clean

_BUFFER = 1 << 20
_RATIO_COUNTS_FROM = 16 * 2**20  # a smaller member can't hurt, however well it packs
_READ_ERRORS = (
    OSError,
    EOFError,
    RuntimeError,
    NotImplementedError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)


class Member(msgspec.Struct, frozen=True):
    """One file inside a container. `name` is its path with `/`, for display and for matching only, and may occur
    twice; `size` is the uncompressed size. `archive` and `index` find it again."""

    name: str
    size: int
    archive: Path
    index: int | None = None

    @property
    def base(self) -> str:
        return PurePosixPath(self.name).name


class Container:
    """Opened by `open_container`. Archives open when they are needed, so that several exports can share one
    container and each close it."""

    def __init__(self, path: Path, members: list[Member], limits: Limits) -> None:
        self.path, self.name = path, clean(path.name) or str(path)
        self.total = sum(member.size for member in members)
        self._members, self._limits = members, limits
        self._archives: dict[Path, zipfile.ZipFile] = {}

    def members(self) -> list[Member]:
        return list(self._members)

    def open(self, member: Member) -> BinaryIO:
        """A buffered stream; what goes wrong in opening or reading it is an ImportFailed."""
        try:
            if member.index is None:
                raw = cast(BinaryIO, member.archive.open("rb", buffering=0))
            else:
                raw = cast(BinaryIO, self._open_zipped(member, member.index))
        except _READ_ERRORS as error:
            raise _unreadable(self.path, member.name, error) from None
        return cast(BinaryIO, io.BufferedReader(_Guarded(raw, self.path, member.name), _BUFFER))

    @contextmanager
    def reading(self, member: Member) -> Iterator[BinaryIO]:
        """`open` for a JSON file: where that is Malformed, the import has failed."""
        with self.open(member) as stream:
            try:
                yield stream
            except Malformed as error:
                raise ImportFailed(
                    self.path, error.reason, "a complete file, as it was downloaded", self.place(member)
                ) from None

    def place(self, member: Member) -> str:
        """Where a member is, for messages: nothing more than the container's name when it is that file itself."""
        return "" if member.name == self.name else member.name

    def _open_zipped(self, member: Member, index: int) -> object:
        archive = self._archives.get(member.archive)
        if archive is None:
            archive = self._archives[member.archive] = zipfile.ZipFile(member.archive)
        info = archive.infolist()[index]
        packed_too_well = info.file_size > self._limits.ratio * max(info.compress_size, 1)
        if info.file_size > _RATIO_COUNTS_FROM and packed_too_well:
            raise ImportFailed(self.path, "it unpacks to a suspiciously large size", where=member.name)
        return archive.open(info)

    def close(self) -> None:
        for archive in self._archives.values():
            archive.close()
        self._archives.clear()


class _Guarded(io.RawIOBase):
    """Passes reads through and turns the many errors of a damaged archive or disk into ImportFailed."""

    def __init__(self, raw: BinaryIO, path: Path, where: str) -> None:
        self._raw, self._path, self._where = raw, path, where

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        try:
            data = self._raw.read(len(view))
        except _READ_ERRORS as error:
            raise _unreadable(self._path, self._where, error) from None
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


def open_container(path: Path, limits: Limits = STANDARD) -> Container:
    """A loose file, a zip, or a folder with files and zips in it (one export may come as several zips)."""
    try:
        if path.is_dir():
            members = _in_folder(path, limits)
        elif path.is_file():
            members = _in_file(path, "", limits)
        else:
            raise ImportFailed(path, "it is no file" if path.exists() else "there is no such file")
    except OSError as error:
        raise ImportFailed(path, f"it can't be read ({error.strerror or type(error).__name__})") from None
    if not members:
        raise ImportFailed(path, "there is nothing in it", "an export of your assistant, as a zip, a folder or a file")
    _check_sizes(path, members, limits)
    return Container(path, members, limits)


def _check_sizes(path: Path, members: list[Member], limits: Limits) -> None:
    if len(members) > limits.members:
        raise ImportFailed(path, f"it holds more than {limits.members:,} files", "the folder of one export")
    if sum(member.size for member in members) > limits.total_bytes:
        raise ImportFailed(path, f"it unpacks to more than {limits.total_bytes:,} bytes")
    for member in members:
        if member.size > limits.member_bytes:
            raise ImportFailed(path, f"it is larger than {limits.member_bytes:,} bytes", where=member.name)


def _in_folder(root: Path, limits: Limits) -> list[Member]:
    members: list[Member] = []
    for folder, subfolders, files in os.walk(root):
        subfolders.sort()  # links to folders are listed here, but os.walk doesn't go through them
        for name in sorted(files):
            path = Path(folder, name)
            if path.is_file() and _stays_inside(path, root):
                members += _in_file(path, path.relative_to(root).as_posix(), limits)
            if len(members) > limits.members:
                return members
    return members


def _stays_inside(path: Path, root: Path) -> bool:
    return not path.is_symlink() or path.resolve().is_relative_to(root.resolve())


def _in_file(path: Path, name: str, limits: Limits) -> list[Member]:
    """The members that `path` stands for: those of a zip, or the file itself."""
    shown = _tidy(name or path.name)
    with path.open("rb") as stream:
        zipped = stream.read(2) == b"PK"
    if zipped or path.suffix.lower() == ".zip":
        return list(_in_zip(path, f"{shown}/" if name else "", limits))
    return [] if _is_clutter(shown) else [Member(shown, path.stat().st_size, path)]


def _in_zip(path: Path, prefix: str, limits: Limits) -> Iterator[Member]:
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
    except _READ_ERRORS:
        raise ImportFailed(
            path, "it is not a whole zip file; the download may have been cut off", "a complete zip file"
        ) from None
    if len(infos) > limits.members:
        raise ImportFailed(path, f"it holds more than {limits.members:,} files")
    for index, info in enumerate(infos):
        name = _tidy(info.filename)
        if info.filename.endswith(("/", "\\")) or _is_clutter(name):
            continue
        if info.flag_bits & 0x1:
            raise ImportFailed(path, "it is password-protected", "a zip file without a password")
        if name.lower().endswith(".zip"):
            raise ImportFailed(path, "it holds further zip files", "those files unpacked into one folder", name)
        yield Member(prefix + name, info.file_size, path, index)


def _tidy(name: str) -> str:
    """A relative path with `/` and without `..`, whatever the archive says; it is shown, never opened."""
    parts = clean(name).replace("\\", "/").split("/")
    return "/".join(part for part in parts if part not in ("", ".", "..")) or "unnamed"


def _is_clutter(name: str) -> bool:
    """What file managers add: resource forks, folder settings, thumbnails."""
    *folders, base = name.split("/")
    return "__MACOSX" in folders or base.startswith("._") or base in (".DS_Store", "Thumbs.db", "desktop.ini")


def _unreadable(path: Path, where: str, error: Exception) -> ImportFailed:
    if isinstance(error, OSError) and error.strerror:
        return ImportFailed(path, f"it can't be read ({error.strerror})", where=where)
    if isinstance(error, NotImplementedError):
        return ImportFailed(path, "it is packed in a way that is not supported", "an ordinary zip file", where)
    return ImportFailed(path, "it is damaged", "a complete file; try to download it again", where)
