"""Quarantine, questions, why and watch on the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
import time
import zipfile
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from filelock import FileLock

from memreview.cli import main, program
from memreview.evaluate import generate
from memreview.review import audits, gate_runs, importing, quarantine, watching
from memreview.review.gating import Models
from memreview.review.profile import Profile
from memreview.store import ledger
from memreview.store.database import Database
from memreview.store.errors import StoreBusy
from tests.importers.builders_chat import claude_chat, human
from tests.review import gates
from tests.review.builders import import_into
from tests.review.histories import REMEMBERED, asking, later, profile_with_history, read
from tests.store.builders import chat, said

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planted page is held back, and there is a question about Porto."""
    home = tmp_path_factory.mktemp("filled")
    models = gates.models()
    profile = profile_with_history(home)
    read(profile, models)
    import_into(profile, *later(), name="newer.zip")
    import_into(profile, chat("c5", said("m1", "We live in Porto now, near the bridge.", day=61)), name="newest.zip")
    read(profile, asking(models))
    profile.close()
    return home


@pytest.fixture
def run(filled: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*arguments: str, status: int = 0) -> Any:
        assert main(["--home", str(filled), "--json", *arguments]) == status
        return json.loads(capsys.readouterr().out)

    return command


def test_what_is_held_back_is_listed_shown_and_decided(run: Run) -> None:
    claim = run("quarantine")[0]
    assert claim["provenance"]["words"] == "a web page: reviews.example"
    case = run("quarantine", str(claim["id"]))
    assert case["memories"][0]["text"] == REMEMBERED
    preview = run("decide", "release", "--claim", str(claim["id"]), "--scope", "pushchairs", "--preview")
    assert preview["counts"]["beliefs active"] == 1
    assert run("decide", "release", "--claim", str(claim["id"]))["label"] == "Let 1 claim count"
    assert run("quarantine") == []
    assert run("undo")["verb"] == "release"


def test_a_question_is_shown_and_answered(run: Run) -> None:
    question = run("questions")[0]
    shown = run("questions", str(question["id"]))
    assert [answer["key"] for answer in shown["answers"]] == ["changed", "scoped", "no"]
    step = run("decide", "answer", "--question", str(question["id"]), "--answer", "changed")
    assert step["label"] == "Answer 1 question"
    assert run("questions") == []
    assert run("undo")["verb"] == "answer"


@pytest.mark.parametrize("answer", ["remember", "perhaps", "scoped"])
def test_only_what_a_question_offers_is_an_answer(
    filled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: str
) -> None:
    home = shutil.copytree(filled, tmp_path / "home")
    given = ["--home", str(home), "decide", "answer", "--question", "1", "--answer", answer]
    for more in ([], ["--preview"]):
        assert main([*given, *more]) == 1
        told = capsys.readouterr().err
        asked = (
            "decide answer --question 1 --answer scoped --scope" if answer == "scoped" else "changed, scoped, no, text"
        )
        assert asked in told
    if answer == "scoped":
        assert main([*given, "--scope", "at work"]) == 0
        profile = Profile.open(home)
        assert profile.database.value("SELECT scope FROM memories WHERE added = 1") == "at work"
        profile.close()


def test_an_answer_that_wants_a_scope_is_printed_with_one(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert '--answer scoped --scope "…"' in printed(capsys, filled, "questions", "1")


def test_what_stands_in_the_way_of_an_undo_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = tmp_path / "home"
    for name, texts in (("a", ["Keeps bees"]), ("b", ["Keeps bees", "Has a cat"]), ("c", ["Keeps bees"])):
        store_file(tmp_path / f"{name}.json", *texts)
        assert main(["--home", str(home), "import", "--no-audit", str(tmp_path / f"{name}.json")]) == 0
    capsys.readouterr()
    called = program.command(Namespace(home=home))
    assert main(["--home", str(home), "undo", "1"]) == 1
    told, newest, newer = capsys.readouterr().err.splitlines()
    assert told == "memreview: 2 later steps rest on it. Undo these first, in this order:"
    assert newest.startswith(f"  {called} undo 3  (Import c.json, ")
    assert newer.startswith(f"  {called} undo 2  (Import b.json, ")
    assert main(["--home", str(home), "undo", "3"]) == 0
    assert main(["--home", str(home), "undo", "1"]) == 1
    assert capsys.readouterr().err.startswith("memreview: A later step rests on it. Undo that first:\n")


def test_a_memory_tells_its_life(run: Run) -> None:
    memory = run("memories", "Lisbon")["memories"][0]
    assert {"said", "stored", "gate"} <= {line["kind"] for line in run("why", str(memory["id"]))["lines"]}


def test_what_is_printed_for_a_person_is_plain(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["quarantine"], ["quarantine", "3"], ["questions"], ["questions", "1"], ["why", "1"], ["report"]):
        assert main(["--home", str(filled), *arguments]) == 0
        shown = capsys.readouterr().out
        assert shown.strip()
        assert "None" not in shown


@pytest.mark.parametrize(
    ("arguments", "typed"),
    [
        (["quarantine", "{claim}"], "decide release --claim {claim}"),
        (["questions", "1"], "decide answer --question 1 --answer changed"),
        (["questions", "1"], 'decide answer --question 1 --answer text --text "…"'),
        (["queue", "999"], "queue"),
        (["quarantine", "999"], "quarantine"),
        (["questions", "999"], "questions"),
        (["why", "999"], "memories"),
        (["decide", "forget", "--memory", "999"], "memories"),
        (["decide", "answer", "--question", "1"], "questions NUMBER"),
        (["decide", "forget", "--memory", "1"], "undo"),
        (["models", "use"], "models probe"),
    ],
)
def test_a_command_to_type_is_for_the_same_profile(
    filled: Path, tmp_path: Path, run: Run, capsys: pytest.CaptureFixture[str], arguments: list[str], typed: str
) -> None:
    claim = str(run("quarantine")[0]["id"])
    home = shutil.copytree(filled, tmp_path / "home")
    main(["--home", str(home), *(word.format(claim=claim) for word in arguments)])
    captured = capsys.readouterr()
    lines = (captured.out + captured.err).splitlines()
    called = program.command(Namespace(home=home))
    assert called.endswith(f"memreview --home {home}")
    assert [line for line in lines if f"{called} {typed.format(claim=claim)}" in line]
    assert not [line for line in lines if re.search(r"memreview(?! --home)[` ]+[a-z]", line)]


@pytest.fixture
def held(filled: Path, tmp_path: Path) -> Iterator[tuple[Path, Profile, str]]:
    """A copy to change, and the number of the claim that waits there."""
    home = shutil.copytree(filled, tmp_path / "copy")
    profile = Profile.open(home)
    claim = quarantine.ids(profile)[0]
    profile.database.execute("UPDATE nodes SET status = 'quarantined' WHERE id = ?", (claim,))
    yield home, profile, str(claim)
    profile.close()


def printed(capsys: pytest.CaptureFixture[str], home: Path, *arguments: str) -> str:
    assert main(["--home", str(home), *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("status", ["superseded", "deleted"])
def test_a_memory_that_is_none_any_more_is_not_called_remembered(
    held: tuple[Path, Profile, str], capsys: pytest.CaptureFixture[str], status: str
) -> None:
    home, profile, claim = held
    row = f"\n{claim} .* yes "
    assert re.search(row, printed(capsys, home, "quarantine"))
    assert f"Remembered as: {REMEMBERED}" in printed(capsys, home, "quarantine", claim)
    profile.database.execute("UPDATE memories SET status = ? WHERE text = ?", (status, REMEMBERED))
    assert f"\n{claim} " in (listed := printed(capsys, home, "quarantine"))
    assert not re.search(row, listed)
    assert "Remembered as" not in printed(capsys, home, "quarantine", claim)


def test_a_claim_whose_days_are_over_has_nothing_that_it_would_take(
    held: tuple[Path, Profile, str], capsys: pytest.CaptureFixture[str]
) -> None:
    home, profile, claim = held
    assert re.search(r"It would count if \(\d+ days left\):\n  - ", printed(capsys, home, "quarantine", claim))
    profile.database.execute("UPDATE nodes SET status = 'evicted' WHERE id = ?", (claim,))
    told = printed(capsys, home, "quarantine", claim)
    assert "It would count if" not in told
    assert "\n\nIts 14 days are over, so only you can let it out" in told


@pytest.mark.parametrize(
    "arguments", [["quarantine", "999"], ["questions", "999"], ["why", "999"], ["decide", "release", "--claim", "999"]]
)
def test_what_is_not_there_is_one_clear_line(
    filled: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(["--home", str(filled), *arguments]) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


# -- watch ----------------------------------------------------------------------------------------------------------


def store_file(path: Path, *texts: str) -> None:
    path.write_text(json.dumps({"results": [{"id": text, "memory": text} for text in texts]}), encoding="utf-8")


def test_exports_that_arrive_in_a_folder_are_taken_once(tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    store_file(folder / "mem0.json", "Keeps bees")
    (folder / "broken.zip").write_bytes(b"PK\x03\x04 no zip")
    (folder / "half.part").write_bytes(b"...")
    profile = Profile.open(tmp_path / "home")
    taken = watching.watch(profile, folder, lambda stage, done, total: None, pause=0.01, rounds=4)
    first = [next(taken), next(taken)]
    assert {one.name: bool(one.error) for one in first} == {"broken.zip": True, "mem0.json": False}
    store_file(folder / "mem0.json", "Keeps bees", "Has a cat")
    again = next(taken)
    assert again.imports[0].counts["memories.new"] == 1
    assert list(taken) == []
    profile.close()


def test_a_file_that_grows_is_left_until_it_is_whole(tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    profile = Profile.open(tmp_path / "home")
    stop = threading.Event()

    def grow() -> None:
        texts = []
        while not stop.is_set() and len(texts) < 20:
            texts.append(f"Keeps {len(texts)} bees")
            store_file(folder / "mem0.json", *texts)
            time.sleep(0.02)

    writer = threading.Thread(target=grow)
    writer.start()
    taken = next(watching.watch(profile, folder, lambda stage, done, total: None, pause=0.3, rounds=10))
    stop.set()
    writer.join()
    assert taken.imports[0].counts["memories.new"] == 20
    assert not quarantine.ids(profile)
    profile.close()


def test_of_several_files_the_oldest_comes_first_and_none_comes_twice(tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    store_file(folder / "a-new.json", "Lives in Lisbon")
    store_file(folder / "z-old.json", "Lives in Porto")
    os.utime(folder / "z-old.json", (1_700_000_000, 1_700_000_000))
    profile = Profile.open(tmp_path / "home")
    for expected in (["z-old.json", "a-new.json"], []):  # the second time as after a start
        found = watching.watch(profile, folder, lambda stage, done, total: None, pause=0.01, rounds=3)
        assert [one.name for one in found] == expected
    profile.close()


def test_what_a_watch_had_no_time_for_is_done_by_the_next(tmp_path: Path) -> None:
    """Half a file, and memories that were not checked."""
    folder = tmp_path / "exports"
    folder.mkdir()
    store_file(folder / "mem0.json", "Lives in Porto")
    profile = Profile.open(tmp_path / "home")

    def watched() -> list[str]:
        found = watching.watch(profile, folder, lambda stage, done, total: None, pause=0.01, rounds=2)
        return [one.name for one in found]

    importing.import_path(profile, folder / "mem0.json", progress=lambda stage, done, total: None)
    assert ledger.unread_memories(profile.database)
    assert watched() == []
    assert not ledger.unread_memories(profile.database)
    profile.database.execute("UPDATE imports SET state = 'stopped'")
    assert watched() == ["mem0.json"]
    profile.close()


def test_what_came_in_before_a_broken_file_is_checked(tmp_path: Path) -> None:
    store_file(tmp_path / "good.json", "Lives in Porto")
    (tmp_path / "broken.json").write_text("{")
    home = tmp_path / "home"
    assert main(["--home", str(home), "import", str(tmp_path / "good.json"), str(tmp_path / "broken.json")]) == 1
    profile = Profile.open(home)
    assert profile.database.value("SELECT count(*) FROM live_memories") == 1
    assert not ledger.unread_memories(profile.database)
    profile.close()


def test_a_file_that_comes_while_another_import_runs_is_taken_after_it(tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    store_file(folder / "mem0.json", "Keeps bees")
    profile = Profile.open(tmp_path / "home")
    busy = FileLock(profile.home / importing.LOCK, thread_local=False)
    busy.acquire()
    threading.Timer(0.3, busy.release).start()
    (taken,) = watching.watch(profile, folder, lambda stage, done, total: None, pause=0.1, rounds=10)
    assert taken.imports[0].counts["memories.new"] == 1
    profile.close()


def busy_for(monkeypatch: pytest.MonkeyPatch, profile: Profile, room: ModuleType, times: int = 1) -> None:
    """The first checks of something unread meet a database in which somebody else writes."""
    run, left = room.run, iter(range(times))
    profile.database.execute("PRAGMA busy_timeout = 10")
    other = Database.open(profile.database.path)

    def meanwhile(*given: Any, **named: Any) -> Any:
        if not ledger.unread_memories(profile.database) or next(left, None) is None:
            return run(*given, **named)
        with other.transaction():
            return run(*given, **named)

    monkeypatch.setattr(room, "run", meanwhile)


@pytest.mark.parametrize("room", [audits, gate_runs], ids=["audit", "gate"])
def test_what_a_busy_database_kept_from_being_checked_is_checked_at_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: ModuleType
) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    store_file(folder / "mem0.json", "Lives in Porto")
    profile = Profile.open(tmp_path / "home")
    busy_for(monkeypatch, profile, room, times=2)
    (taken,) = watching.watch(profile, folder, lambda stage, done, total: None, pause=0.01, rounds=3)
    assert taken.imports[0].counts["memories.new"] == 1
    assert taken.audit is not None
    assert not ledger.unread_memories(profile.database)
    profile.close()


def test_what_the_last_look_left_unchecked_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    store_file(folder / "mem0.json", "Lives in Porto")
    profile = Profile.open(tmp_path / "home")
    busy_for(monkeypatch, profile, audits, times=9)
    with pytest.raises(StoreBusy):
        list(watching.watch(profile, folder, lambda stage, done, total: None, pause=0.01, rounds=2))
    assert list(watching.watch(profile, folder, lambda stage, done, total: None, pause=0.01, rounds=1)) == []
    assert not ledger.unread_memories(profile.database)
    profile.close()


def test_what_came_in_before_a_broken_export_of_the_same_file_is_checked(tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    generate.chatgpt_export(tmp_path / "conversations.json", 1)
    broken = json.dumps([claude_chat(f"c{count}", human(f"m{count}", "Hello")) for count in range(2_000)])[:-100]
    with zipfile.ZipFile(folder / "both.zip", "w") as both:
        both.write(tmp_path / "conversations.json", "a/conversations.json")
        both.writestr("b/conversations.json", broken)
    profile = Profile.open(tmp_path / "home")
    (taken,) = watching.watch(profile, folder, lambda stage, done, total: None, pause=0.01, rounds=2)
    assert "b/conversations.json" in taken.error
    assert profile.database.value("SELECT count(*) FROM live_entries")
    assert not ledger.unread_entries(profile.database)
    profile.close()


def test_a_folder_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(tmp_path / "home"), "watch", str(tmp_path / "nowhere")]) == 1
    assert "no folder" in capsys.readouterr().err


def small_history(home: Path, models: Models) -> None:
    """One import with one claim, read."""
    profile = Profile.open(home)
    import_into(profile, chat("c0", said("m0", "We keep two goats behind the shed.", day=1)), name="small.zip")
    read(profile, models)
    profile.close()


def test_what_is_held_back_stays_so_when_an_unrelated_import_is_taken_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    models = gates.models()
    monkeypatch.setattr("memreview.review.gate_runs.Models.load", lambda embedder: models)
    small_history(tmp_path, models)
    profile = profile_with_history(tmp_path)
    read(profile, models)
    held = {item.memories for item in quarantine.items(profile, quarantine.ids(profile))}
    status = "SELECT text FROM memories WHERE status = 'quarantined'"
    before = [row["text"] for row in profile.database.all(status)]
    assert before
    profile.close()
    first = 1
    for command, told in ((("undo", str(first)), "Undone: Import"), (("redo",), "Done again: Import")):
        assert main(["--home", str(tmp_path), *command]) == 0
        out = capsys.readouterr().out
        assert told in out
        assert "What was not checked yet was checked: " in out
        profile = Profile.open(tmp_path)
        assert {item.memories for item in quarantine.items(profile, quarantine.ids(profile))} == held
        assert [row["text"] for row in profile.database.all(status)] == before
        profile.close()


def test_nothing_is_said_of_a_check_that_had_nothing_to_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    models = gates.models()
    monkeypatch.setattr("memreview.review.gate_runs.Models.load", lambda embedder: models)
    small_history(tmp_path, models)
    assert main(["--home", str(tmp_path), "undo"]) == 0
    assert "checked" not in capsys.readouterr().out
