"""What was deleted or overtaken stays gone: the same export again, one with other ids, one in other words."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from memreview.records import MemoryRecord, NativeState, Transition, TransitionKind
from memreview.review import audits, burial, decisions, history, importing
from memreview.review.profile import Profile
from memreview.review.values import Decision, ImportSummary, Step, Verb
from memreview.store import journal, transitions
from tests.review.builders import import_into
from tests.review.rewordings import pairs
from tests.store.builders import store_of

DELETED, APPROVED, REJECTED, UNDECIDED = 120, 50, 30, 60


def quiet(stage: str, done: int, total: int) -> None:
    pass


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Profile]:
    made = Profile.open(tmp_path / "home")
    yield made
    made.close()


def bring(profile: Profile, path: Path, texts: Iterable[tuple[str, str]]) -> ImportSummary:
    """Import a mem0 export of (id, text)."""
    items: list[dict[str, Any]] = [
        {
            "id": key, "memory": text, "hash": "0" * 32, "metadata": None, "user_id": "ines",
            "created_at": "2025-06-01T02:10:11+00:00", "updated_at": None,
        }
        for key, text in texts
    ]  # fmt: skip
    path.write_text(json.dumps({"results": items}), encoding="utf-8")
    (found,) = importing.import_path(profile, path, progress=quiet)
    return found


def numbered(texts: Sequence[str], prefix: str) -> list[tuple[str, str]]:
    return [(f"{prefix}-{n}", text) for n, text in enumerate(texts)]


def active(profile: Profile) -> set[str]:
    return {row[0] for row in profile.database.execute("SELECT text FROM live_memories WHERE status = 'active'")}


def ids_of(profile: Profile, texts: Sequence[str]) -> tuple[int, ...]:
    found = {row["text"]: row["id"] for row in profile.database.execute("SELECT id, text FROM live_memories")}
    return tuple(found[text] for text in texts)


def forget(profile: Profile, *texts: str) -> Step:
    return decisions.decide(profile, Decision(verb=Verb.DELETE, memories=ids_of(profile, texts)))


class Decided:
    """260 memories, of which 200 are decided: deleted, overtaken by a new claim, or their pairing rejected."""

    def __init__(self, profile: Profile, folder: Path) -> None:
        rewordings = {pair.memory: pair.other for pair in pairs() if pair.same}
        changes = {pair.memory: pair.other for pair in pairs() if not pair.same}
        memories = sorted(rewordings, key=lambda text: text not in changes)
        self.overtaken = memories[:APPROVED]
        self.rejected = memories[APPROVED : APPROVED + REJECTED]
        self.deleted = memories[APPROVED + REJECTED :]
        self.new = [changes[text] for text in self.overtaken]
        self.undecided = [text for text in changes.values() if text not in self.new][:UNDECIDED]
        self.texts = [*memories, *self.undecided]
        self.rewordings = rewordings
        bring(profile, folder / "first.json", numbered(self.texts, "a"))
        audits.run(profile, quiet)
        self._propose(profile)
        found = {row["key"]: row["id"] for row in profile.database.execute("SELECT id, key FROM transitions")}
        decisions.decide(
            profile,
            Decision(verb=Verb.APPROVE, transitions=tuple(found[f"old:{text}"] for text in self.overtaken)),
        )
        self.keys = {key for key in found if not key.startswith("old:")}
        decisions.decide(profile, Decision(verb=Verb.REJECT, transitions=tuple(found[key] for key in self.keys)))
        forget(profile, *self.deleted)

    def _propose(self, profile: Profile) -> None:
        cases = [
            Transition(
                kind=TransitionKind.SAME_SUBJECT, key=f"old:{old}", old_memory_id=memory_id, old_value=old,
                new_value=new, new_claim=new,
            )
            for old, new, memory_id in zip(self.overtaken, self.new, ids_of(profile, self.overtaken), strict=True)
        ]  # fmt: skip
        cases += [
            Transition(
                kind=TransitionKind.SAME_SUBJECT, key=f"pair:{text}", old_memory_id=memory_id, old_value=text,
                new_value="", new_claim="Is another thing",
            )
            for text, memory_id in zip(self.rejected, ids_of(profile, self.rejected), strict=True)
        ]  # fmt: skip
        with journal.action(profile.database, "audit", "program") as act:
            transitions.merge(profile.database, act, cases, complete=False)

    @property
    def standing(self) -> set[str]:
        return {*self.undecided, *self.rejected, *self.new}


def proposed(profile: Profile) -> set[str]:
    rows = profile.database.execute("SELECT key FROM transitions WHERE status = 'pending'")
    return {row["key"] for row in rows}


def test_of_200_decided_memories_none_returns(profile: Profile, tmp_path: Path) -> None:
    decided = Decided(profile, tmp_path)
    assert len(decided.deleted) == DELETED
    assert active(profile) == decided.standing

    same = bring(profile, tmp_path / "same.json", numbered(decided.texts, "a"))
    assert active(profile) == decided.standing
    assert same.counts["memories.stayed_deleted"] == DELETED

    shuffled = random.Random(5).sample(decided.texts, len(decided.texts))
    other = bring(profile, tmp_path / "other.json", numbered(shuffled, "b"))
    assert active(profile) == decided.standing
    assert other.counts["memories.stayed_deleted"] == DELETED
    assert other.counts.get("memories.new", 0) == 0

    audits.run(profile, quiet)
    assert not proposed(profile) & decided.keys


def test_few_return_in_other_words_and_the_report_counts_the_others(profile: Profile, tmp_path: Path) -> None:
    """Measured: 20 of 170 return, most of them strong rewordings."""
    decided = Decided(profile, tmp_path)
    reworded = [decided.rewordings.get(text, text) for text in decided.texts]
    report = bring(profile, tmp_path / "reworded.json", numbered(reworded, "c"))
    gone = {decided.rewordings[text] for text in (*decided.deleted, *decided.overtaken)}
    returned = gone & active(profile)
    assert len(returned) <= 0.1 * len(gone)
    assert report.counts["memories.stayed_deleted"] >= 0.9 * len(gone)
    assert decided.standing <= active(profile)
    audits.run(profile, quiet)
    assert not proposed(profile) & decided.keys


def test_the_person_takes_it_back_and_a_later_import_leaves_it(profile: Profile, tmp_path: Path) -> None:
    texts = ["User has asthma", "User keeps bees", "User lives in Lisbon"]
    bring(profile, tmp_path / "a.json", numbered(texts, "a"))
    forget(profile, "User has asthma")
    step = forget(profile, "User keeps bees")
    bring(profile, tmp_path / "a.json", numbered(texts, "a"))
    history.undo(profile, step.id)
    assert active(profile) == {"User keeps bees", "User lives in Lisbon"}
    decisions.decide(profile, Decision(verb=Verb.RESTORE, memories=ids_of(profile, ["User has asthma"])))
    later = bring(profile, tmp_path / "b.json", numbered(texts, "b"))
    assert active(profile) == set(texts)
    assert later.counts.get("memories.stayed_deleted", 0) == 0


def test_what_stayed_deleted_in_other_words_can_be_restored(profile: Profile, tmp_path: Path) -> None:
    bring(profile, tmp_path / "a.json", [("a", "User is allergic to walnuts")])
    forget(profile, "User is allergic to walnuts")
    other_words = [("b", "Has a walnut allergy")]
    report = bring(profile, tmp_path / "b.json", other_words)
    assert (report.counts["memories.stayed_deleted"], active(profile)) == (1, set())
    decisions.decide(profile, Decision(verb=Verb.RESTORE, memories=ids_of(profile, ["Has a walnut allergy"])))
    bring(profile, tmp_path / "c.json", other_words)
    assert active(profile) == {"Has a walnut allergy"}


def test_the_new_claim_and_the_surviving_duplicate_are_not_buried(profile: Profile, tmp_path: Path) -> None:
    """Their stores write them again, in other words, under other ids."""
    texts = ["Lives in Lisbon", "Is allergic to walnuts", "Is allergic to walnuts and carries an EpiPen"]
    bring(profile, tmp_path / "a.json", numbered(texts, "a"))
    one, two, three = ids_of(profile, texts)
    case = Transition(
        kind=TransitionKind.EXPLICIT, key="move", old_memory_id=one, old_value="Lisbon", new_value="Porto",
        new_claim="Lives in Porto",
    )  # fmt: skip
    twin = Transition(
        kind=TransitionKind.DUPLICATE, key="twin", old_memory_id=two, new_memory_id=three, old_value="walnuts",
        new_value="walnuts", new_claim=texts[2],
    )  # fmt: skip
    with journal.action(profile.database, "audit", "program") as act:
        transitions.merge(profile.database, act, [case, twin], complete=True)
    decisions.decide(profile, Decision(verb=Verb.APPROVE, transitions=(1, 2)))
    again = [
        "User is living in Lisbon",
        "User is living in Porto",
        "Carries an EpiPen because of a walnut allergy",
    ]
    bring(profile, tmp_path / "b.json", numbered(again, "b"))
    assert active(profile) == {texts[2], "Lives in Porto", *again[1:]}


def test_the_same_id_with_another_claim_is_active_again(profile: Profile, tmp_path: Path) -> None:
    bring(profile, tmp_path / "a.json", [("a", "Lives in Lisbon"), ("b", "Keeps bees"), ("c", "Has asthma")])
    forget(profile, "Lives in Lisbon", "Keeps bees", "Has asthma")
    bring(
        profile,
        tmp_path / "b.json",
        [("a", "Lives in Porto"), ("b", "Is a keeper of bees"), ("c", "Has asthma")],
    )
    assert active(profile) == {"Lives in Porto"}


def test_what_the_assistant_has_again_stays_gone_where_the_person_had_buried_it(
    profile: Profile, tmp_path: Path
) -> None:
    bring(profile, tmp_path / "a.json", [("a", "Keeps bees")])
    dropped = MemoryRecord(native_id="z", text="Has asthma", state=NativeState.DELETED)
    import_into(profile, store_of(dropped, complete=False), name="dropped")
    bring(profile, tmp_path / "b.json", [("b", "User has asthma")])
    forget(profile, "User has asthma")
    again = msgspec.structs.replace(dropped, state=NativeState.ACTIVE)
    import_into(profile, store_of(again, complete=False), name="again")
    assert active(profile) == {"Keeps bees"}


def test_ten_thousand_records_against_a_thousand_stones(profile: Profile, tmp_path: Path) -> None:
    """No loop over ten million pairs, and nothing embedded twice. Generous: a busy machine must not fail it."""
    base = [pair.memory for pair in pairs() if pair.same]
    stones = [f"{text} in {place}" for text in base for place in ("Aldora", "Brimley", "Cresta", "Dunmore", "Eskdale")]
    bring(profile, tmp_path / "a.json", numbered(stones, "a"))
    forget(profile, *stones)
    texts = [f"{pair.other} since {year}" for pair in pairs()[:100] for year in range(1990, 1996)]
    records = [MemoryRecord(native_id=str(n), text=texts[n % len(texts)]) for n in range(10_000)]
    burial.judge(profile)(records)
    held = profile.database.value("SELECT count(*) FROM vectors")
    started = time.process_time()
    burial.judge(profile)(records)
    assert time.process_time() - started < 15
    assert profile.database.value("SELECT count(*) FROM vectors") == held
