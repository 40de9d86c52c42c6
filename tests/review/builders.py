"""A profile with one case of each kind, made through the store and not through an audit."""

from __future__ import annotations

from pathlib import Path

from memreview.language.sentences import normalize
from memreview.records import (
    Authorization,
    Bundle,
    EntryRef,
    Origin,
    Quotation,
    Transition,
    TransitionKind,
)
from memreview.review.profile import Profile
from memreview.store import ingest, journal, transitions
from tests.store.builders import DAY, START, chat, kept, said, start, store_of


def import_into(profile: Profile, *bundles: Bundle, name: str = "export.zip") -> None:
    from memreview.review import burial

    row = ingest.add(profile.database, start(profile.database, name=name), bundles)
    ingest.finish(profile.database, row, meaning=normalize, buried=burial.judge(profile))


def moved() -> list[Bundle]:
    """Lisbon, then Porto; two wordings of one allergy; and a hobby that nobody doubts."""
    return [
        chat("c1", said("m1", "I live in Lisbon, near the river."), said("m2", "Nice!", origin=Origin.ASSISTANT)),
        chat("c2", said("m1", "We moved to Porto last week.", day=30), title="Moving"),
        store_of(
            kept("a", "Lives in Lisbon", evidence=[EntryRef("c1", "m1")]),
            kept("b", "Is allergic to walnuts"),
            kept("c", "Allergic to walnuts, carries a pen", day=3),
            kept("d", "Keeps bees"),
        ),
    ]


def proposals(profile: Profile) -> list[Transition]:
    entries = {row["text"]: row["id"] for row in profile.database.execute("SELECT id, text FROM live_entries")}
    old, new = "I live in Lisbon, near the river.", "We moved to Porto last week."
    return [
        Transition(
            kind=TransitionKind.EXPLICIT, key="lisbon>porto", old_memory_id=1, old_value="Lisbon", new_value="Porto",
            new_claim="Lives in Porto", slot="location.city", path=("memory:1", "slot:location.city", "entry:3"),
            old_quote=_quote(entries[old], old, 0), new_quote=_quote(entries[new], new, 30),
            confidence=0.9, harm=0.8, authorization=Authorization.VERIFIED, reasons=("You said that you moved.",),
        ),
        Transition(
            kind=TransitionKind.DUPLICATE, key="walnuts", old_memory_id=2, new_memory_id=3, old_value="walnuts",
            new_value="walnuts", new_claim="Allergic to walnuts, carries a pen", confidence=0.8, harm=0.9,
        ),
    ]  # fmt: skip


def _quote(entry_id: int, text: str, day: int) -> Quotation:
    return Quotation(entry_id=entry_id, text=text, start=0, end=len(text), at=START + day * DAY, origin=Origin.USER)


def profile_with_cases(home: Path) -> Profile:
    profile = Profile.open(home)
    import_into(profile, *moved())
    with journal.action(profile.database, "audit", "program") as act:
        transitions.merge(profile.database, act, proposals(profile), complete=True)
    return profile
