"""The gate's lists and decisions with what people and the world do to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memreview.cli import main
from memreview.language.sentences import normalize
from memreview.records import Entry, Origin
from memreview.review import decisions, memories, quarantine, questions
from memreview.review.profile import Profile
from memreview.review.values import Decision, Verb
from memreview.store.database import FILE_NAME
from tests.review import gates
from tests.review.builders import import_into
from tests.review.histories import asking, later, profile_with_history, read
from tests.store.builders import chat

HALF = "half \udcff\0 of it"
STORED = "half \ufffd of it"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A claim in quarantine that a memory repeats, and a question."""
    home = tmp_path_factory.mktemp("template")
    models = gates.models()
    profile = profile_with_history(home)
    read(profile, models)
    import_into(profile, *later(), name="newer.zip")
    read(profile, asking(models))
    profile.close()
    return home / FILE_NAME


@pytest.fixture
def home(template: Path, tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / FILE_NAME).write_bytes(template.read_bytes())
    return tmp_path / "home"


@pytest.fixture
def profile(home: Path) -> Iterator[Profile]:
    made = Profile.open(home)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("target", "verb", "field"),
    [
        ("memories", Verb.EDIT, "text"),
        ("memories", Verb.SCOPE, "scope"),
        ("nodes", Verb.RELEASE, "scope"),
        ("questions", Verb.ANSWER, "text"),
        ("questions", Verb.ANSWER, "scope"),
    ],
)
def test_a_decisions_words_may_hold_half_characters_and_nul(
    profile: Profile, target: str, verb: Verb, field: str
) -> None:
    ids = {"memories": memories.ids(profile), "nodes": quarantine.ids(profile), "questions": questions.ids(profile)}
    words = {"text": HALF, "scope": "work", "answer": "text", field: HALF}
    decision = Decision(verb=verb, **{target: (ids[target][0],)}, **words)  # type: ignore[arg-type]
    assert any(STORED in change.after.values() for change in decisions.preview(profile, decision).changes)
    decisions.decide(profile, decision)
    rows = profile.database.execute("SELECT text, scope FROM memories UNION ALL SELECT claim, scope FROM nodes")
    assert any(STORED in row for row in map(tuple, rows))


def test_ones_own_words_for_a_memory_are_what_it_means(profile: Profile) -> None:
    claim = next(item for item in quarantine.items(profile, quarantine.ids(profile)) if item.memories)
    question = questions.ids(profile)[0]
    profile.database.execute("UPDATE nodes SET question_id = iif(id = ?, ?, NULL)", (claim.id, question))
    decisions.decide(profile, Decision(verb=Verb.ANSWER, questions=(question,), answer="text", text="Likes any pram"))
    held = profile.database.one("SELECT text, meaning, status FROM memories WHERE id = ?", claim.memories)
    assert tuple(held or ()) == ("Likes any pram", normalize("Likes any pram"), "active")


@pytest.mark.parametrize(
    ("command", "empty"),
    [("quarantine", "Nothing is held back."), ("questions", "no question for you"), ("history", "Nothing was done")],
)
def test_a_list_of_which_none_is_shown_is_not_called_empty(
    home: Path, capsys: pytest.CaptureFixture[str], command: str, empty: str
) -> None:
    assert main(["--home", str(home), command, "--limit", "0"]) == 0
    assert empty not in capsys.readouterr().out


def test_what_has_no_time_was_not_said_in_1970(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = Profile.open(tmp_path / "home")
    said = Entry(native_id="m1", origin=Origin.USER, text="I live in Lisbon, near the river.")
    import_into(profile, chat("c1", said))
    read(profile, asking(gates.models()))
    shown = [item.text for item in questions.items(profile, questions.ids(profile))]
    nodes = [row[0] for row in profile.database.execute("SELECT id FROM nodes")]
    profile.close()
    assert shown
    assert all(text.startswith("At an unknown time ") for text in shown)
    for arguments in (["questions"], ["quarantine", "--all"], *(["why", "--claim", str(node)] for node in nodes)):
        assert main(["--home", str(tmp_path / "home"), *arguments]) == 0
    assert "1970" not in capsys.readouterr().out


@pytest.mark.parametrize("content", ["", "{", "null\n1", '{"secret": "Keeps bees"}', "[]"])
def test_a_file_without_an_episode_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str) -> None:
    path = tmp_path / "episodes.jsonl"
    path.write_text(content, "utf-8")
    assert main(["eval", "gate", str(path)]) == 1
    told = capsys.readouterr().err
    assert told.startswith("memreview: There is no episode to evaluate.")
    assert "bees" not in told
