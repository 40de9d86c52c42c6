"""What the claim encoder reads is kept, files memories, and filters them and the search."""

from __future__ import annotations

import pytest

from memreview.review import audits, memories, reading, search
from memreview.review.memories import BadFilter
from memreview.review.profile import Profile
from tests.review.builders import import_into
from tests.store.builders import chat, kept, said, store_of


def quietly(stage: str, done: int, total: int) -> None:
    pass


@pytest.fixture
def read(profile: Profile) -> Profile:
    import_into(
        profile,
        chat("c9", said("m1", "I'm allergic to penicillin, so what else is there for a sore throat?"), title="Throat"),
        store_of(kept("e", "Is allergic to penicillin"), kept("f", "Commutes to work by bicycle")),
        name="more.zip",
    )
    audits.prepare(profile, quietly)
    return profile


def texts(profile: Profile, query: str) -> set[str]:
    return {row.text for row in memories.rows(profile, memories.ids(profile, query))}


def test_memories_are_filed_by_slot_and_domain(read: Profile) -> None:
    assert "Is allergic to penicillin" in texts(read, "slot:health")
    assert "Commutes to work by bicycle" in texts(read, "slot:transport")
    assert "Is allergic to penicillin" not in texts(read, "slot:transport")
    assert "Is allergic to penicillin" in texts(read, "-slot:transport")


def test_nothing_is_read_twice(read: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    model = read.claims_or_none()
    assert model is not None
    monkeypatch.setattr(type(model), "read", None)
    assert reading.file_memories(read, quietly) == 0


def test_an_edited_memory_is_filed_anew(read: Profile) -> None:
    read.database.execute(
        "UPDATE memories SET text = 'Is allergic to latex' WHERE text = 'Commutes to work by bicycle'"
    )
    assert reading.file_memories(read, quietly) == 1
    assert "Is allergic to latex" in texts(read, "slot:health")


def test_search_is_filtered_by_slot(read: Profile) -> None:
    found = search.search(read, "allergic slot:health")
    assert {hit.target for hit in found} == {"memory", "entry"}
    assert all("penicillin" in hit.text or "allergic" in hit.text.lower() for hit in found)
    assert not [hit for hit in search.search(read, "allergic slot:transport") if "penicillin" in hit.text]


def test_other_filters_leave_messages_out_of_a_search(read: Profile) -> None:
    assert {hit.target for hit in search.search(read, "allergic is:active")} == {"memory"}
    with pytest.raises(BadFilter):
        search.search(read, "allergic is:nonsense")


def test_every_slot_and_domain_can_be_asked_for() -> None:
    assert {"health", "location.city"} <= set(memories.slots())
