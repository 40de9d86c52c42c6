from __future__ import annotations

import os
import struct
import zipfile
from pathlib import Path

import pytest

from memreview.importers.container import open_container
from memreview.importers.contract import STANDARD, ImportFailed, Limits
from tests.importers.builders_chat import write_zip


def contents(path: Path, limits: Limits = STANDARD) -> dict[str, bytes]:
    container = open_container(path, limits)
    try:
        found = {}
        for member in container.members():
            with container.open(member) as stream:
                found[member.name] = stream.read()
                assert len(found[member.name]) == member.size
        assert container.total == sum(map(len, found.values()))
        return found
    finally:
        container.close()


def patched(path: Path, member: str, **fields: int) -> Path:
    """Overwrite fields of one member in both headers of a zip."""
    raw = bytearray(path.read_bytes())
    offsets = {"flags": (6, 8, "<H"), "method": (8, 10, "<H")}
    for signature, place, name_at in ((b"PK\3\4", 0, 30), (b"PK\1\2", 1, 46)):
        start = -1
        while (start := raw.find(signature, start + 1)) >= 0:
            if raw[start + name_at :].startswith(member.encode()):
                for field, value in fields.items():
                    struct.pack_into(offsets[field][2], raw, start + offsets[field][place], value)
    path.write_bytes(raw)
    return path


def test_a_loose_file(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(b"[]")
    assert contents(path) == {"conversations.json": b"[]"}


def test_a_folder_with_zips_in_it(tmp_path: Path) -> None:
    (tmp_path / "x" / "deep").mkdir(parents=True)
    (tmp_path / "x" / "deep" / "a.json").write_bytes(b"1")
    (tmp_path / "x" / ".DS_Store").write_bytes(b"?")
    write_zip(tmp_path / "x" / "part-000.zip", {"export/b.json": b"2", "__MACOSX/export/._b.json": b"?", "d/": b""})
    assert contents(tmp_path / "x") == {"deep/a.json": b"1", "part-000.zip/export/b.json": b"2"}


def test_a_zip_without_its_suffix(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", {"a.json": b"1"}).rename(tmp_path / "download")
    assert contents(path) == {"a.json": b"1"}


def test_names_are_shown_and_never_paths(tmp_path: Path) -> None:
    names = ["../../etc/passwd", "/abs.json", "C:\\a\\b.json", "..\\x.json"]
    write_zip(tmp_path / "x.zip", [(name, b"1") for name in names])
    assert set(contents(tmp_path / "x.zip")) == {"etc/passwd", "abs.json", "C:/a/b.json", "x.json"}
    assert sorted(os.listdir(tmp_path)) == ["x.zip"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_equal_names_are_told_apart(tmp_path: Path) -> None:
    container = open_container(write_zip(tmp_path / "x.zip", [("a.json", b"1"), ("a.json", b"2")]))
    found = []
    for member in container.members():
        with container.open(member) as stream:
            found.append(stream.read())
    container.close()
    assert found == [b"1", b"2"]


def test_old_names_without_utf8(tmp_path: Path) -> None:
    write_zip(tmp_path / "x.zip", {"m\u00e9moire.json": b"1"})
    path = patched(tmp_path / "x.zip", "m\u00e9moire.json", flags=0)
    assert list(contents(path).values()) == [b"1"]


def test_zip64(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive, archive.open("a.json", "w", force_zip64=True) as stream:
        stream.write(b"12")
    assert contents(tmp_path / "x.zip") == {"a.json": b"12"}


def test_a_closed_container_opens_again(tmp_path: Path) -> None:
    container = open_container(write_zip(tmp_path / "x.zip", {"a.json": b"1"}))
    for _ in range(2):
        with container.open(container.members()[0]) as stream:
            assert stream.read() == b"1"
        container.close()


def test_a_password(tmp_path: Path) -> None:
    path = patched(write_zip(tmp_path / "x.zip", {"a.json": b"1", "b.json": b"2"}), "a.json", flags=1)
    with pytest.raises(ImportFailed, match="password-protected"):
        open_container(path)


def test_a_packing_that_is_not_known(tmp_path: Path) -> None:
    path = patched(write_zip(tmp_path / "x.zip", {"a.json": b"1"}), "a.json", method=99)
    with pytest.raises(ImportFailed, match="not supported"):
        contents(path)


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.95])
def test_a_cut_off_zip(tmp_path: Path, keep: float) -> None:
    path = write_zip(tmp_path / "x.zip", {"a.json": os.urandom(5000), "b.json": b"2"})
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * keep)])
    with pytest.raises(ImportFailed, match="cut off"):
        open_container(path)


def test_a_damaged_member(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", {"a.json": b"hello " * 1000})
    raw = bytearray(path.read_bytes())
    raw[40:50] = b"\xff" * 10
    path.write_bytes(raw)
    with pytest.raises(ImportFailed, match="damaged") as failed:
        contents(path)
    assert failed.value.where == "a.json"


def test_a_bomb(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", {"a.json": b"0" * (32 * 2**20)})
    with pytest.raises(ImportFailed, match="suspiciously"):
        contents(path, Limits(ratio=500))
    with pytest.raises(ImportFailed, match="larger than"):
        open_container(path, Limits(member_bytes=2**20))
    with pytest.raises(ImportFailed, match="unpacks to more"):
        open_container(path, Limits(total_bytes=2**20))


def test_too_many_members(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", {f"{n}.json": b"1" for n in range(20)})
    with pytest.raises(ImportFailed, match="more than 10 files"):
        open_container(path, Limits(members=10))
    with pytest.raises(ImportFailed, match="more than 10 files"):
        open_container(tmp_path, Limits(members=10))


def test_a_zip_of_zips_says_what_to_do(tmp_path: Path) -> None:
    inner = write_zip(tmp_path / "inner.zip", {"a.json": b"1"}).read_bytes()
    with pytest.raises(ImportFailed, match="unpacked into one folder"):
        open_container(write_zip(tmp_path / "outer.zip", {"inner.zip": inner}))


def test_links_that_lead_outside_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "s.json").write_bytes(b"secret")
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "a.json").write_bytes(b"1")
    (folder / "out.json").symlink_to(tmp_path / "secret" / "s.json")
    (folder / "inside.json").symlink_to(folder / "a.json")
    (folder / "dir").symlink_to(tmp_path / "secret")
    (folder / "loop").symlink_to(folder)
    (folder / "dangling.json").symlink_to(tmp_path / "nowhere")
    assert contents(folder) == {"a.json": b"1", "inside.json": b"1"}


def test_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path, problem in ((tmp_path / "nowhere.zip", "no such file"), (tmp_path / "empty", "nothing in it")):
        with pytest.raises(ImportFailed, match=problem):
            open_container(path)
    write_zip(tmp_path / "e.zip", {})
    with pytest.raises(ImportFailed, match="nothing in it"):
        open_container(tmp_path / "e.zip")


def test_special_files_are_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(ImportFailed):
        open_container(tmp_path / "pipe.json")
    (tmp_path / "a.json").write_bytes(b"1")
    assert contents(tmp_path) == {"a.json": b"1"}
