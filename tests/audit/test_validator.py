"""The validator lets nothing through that breaks a rule, and all that keeps them."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memreview.audit.lifecycle.evidence import EvidenceEntry, HeldMemory
from memreview.audit.lifecycle.validator import Failure, locate, validate
from memreview.language.sentences import content_tokens
from memreview.records.entry import Origin
from memreview.records.transition import Quotation, Transition, TransitionKind
from tests.audit.worlds import World, day

PLACES = ["Leeds", "Porto", "Gdańsk", "Nairobi", "Austin", "São Paulo"]
OLD = [
    "I've got a small flat in {a}, near the station",
    "Been living in {a} since school. Bins on Tuesdays.",
    "{a} is home, has been for years!",
]
NEW = [
    "We moved to {b} in spring and nothing is unpacked",
    "so {b} it is now, keys since Monday",
    "The new place in {b} has a balcony.",
]


def quotation(entry: int, text: str, **claimed: object) -> Quotation:
    return Quotation(
        **{"entry_id": entry, "text": text, "start": 0, "end": 1, "at": None, "origin": Origin.ASSISTANT, **claimed}
    )  # type: ignore[arg-type]


def valid(a: str, b: str, old: str, new: str) -> tuple[World, Transition]:
    world = World()
    first = world.say(old.format(a=a), 10)
    second = world.say(new.format(b=b), 200)
    memory = world.note(f"Lives in {a}", 11)
    return world, Transition(
        kind=TransitionKind.EXPLICIT,
        key="k",
        old_memory_id=memory,
        old_value=a,
        new_value=b,
        new_claim=f"Lives in {b}",
        old_quote=quotation(first, old.format(a=a)),
        new_quote=quotation(second, new.format(b=b)),
        path=(f"entry:{first}", f"memory:{memory}", "slot:location.city", f"entry:{second}"),
    )


CANDIDATES = [
    valid(a, b, old, new)
    for (a, b), old, new in itertools.product(itertools.permutations(PLACES, 2), OLD, NEW)
    if a != b
][::9]


def broken(world: World, good: Transition) -> list[tuple[Failure, World, Transition]]:
    """The same candidate with each rule broken in turn."""
    change = msgspec.structs.replace
    old, new = good.old_quote, good.new_quote
    assert old
    assert new

    def with_entry(number: int, **changed: object) -> World:
        other = World(dict(world.entries), world.statements, world.memories)
        entry = other.entries[number]
        fields = {name: getattr(entry, name) for name in EvidenceEntry.__slots__} | changed
        other.entries[number] = EvidenceEntry(**fields)  # type: ignore[arg-type]
        return other

    elsewhere = change(old, text="The dentist on Broad Street closes at noon on Fridays")
    stitched = change(old, text=f"{old.text} {new.text}")
    without = World(world.entries, world.statements, [])
    return [
        (Failure.OLD_NOT_QUOTED, world, change(good, old_quote=None)),
        (Failure.NEW_NOT_QUOTED, world, change(good, new_quote=None)),
        (Failure.NOT_AN_ENTRY, world, change(good, new_quote=change(new, entry_id=999))),
        (Failure.OLD_NOT_FOUND, world, change(good, old_quote=elsewhere)),
        (Failure.OLD_NOT_FOUND, world, change(good, old_quote=stitched)),
        (Failure.NEW_NOT_FOUND, world, change(good, new_quote=change(new, text=elsewhere.text))),
        (Failure.NEW_NOT_FOUND, world, change(good, new_quote=change(new, text="and so it is"))),
        (Failure.NOT_OWN_WORDS, with_entry(old.entry_id, origin=Origin.ASSISTANT), good),
        (Failure.NOT_OWN_WORDS, with_entry(new.entry_id, origin=Origin.RETRIEVED_DOCUMENT), good),
        (Failure.ABANDONED_BRANCH, with_entry(new.entry_id, active=False), good),
        (Failure.TIME_UNKNOWN, with_entry(new.entry_id, at=None), good),
        (Failure.TIME_UNKNOWN, with_entry(old.entry_id, at=None), change(good, old_quote=change(old, at=day(1)))),
        (Failure.NOT_LATER, with_entry(new.entry_id, at=day(3)), change(good, new_quote=change(new, at=day(900)))),
        (Failure.NOT_LATER, with_entry(new.entry_id, at=day(10)), good),
        (Failure.OLD_VALUE_MISSING, world, change(good, old_value="Timbuktu")),
        (Failure.NEW_VALUE_MISSING, world, change(good, new_value="Timbuktu")),
        (Failure.NO_CHANGE, world, change(good, new_value=good.old_value.upper())),
        (Failure.NO_APPLICATION, without, good),
        (Failure.NO_APPLICATION, world, change(good, new_memory_id=good.old_memory_id)),
        (Failure.NO_APPLICATION, world, change(good, new_memory_id=77)),
        (Failure.NO_PATH, world, change(good, path=())),
        (Failure.NO_PATH, world, change(good, path=(f"entry:{new.entry_id}",))),
        (Failure.NO_PATH, world, change(good, path=good.path[::-1])),
        (Failure.NO_PATH, world, change(good, path=(good.path[0], good.path[1]))),
        (Failure.NO_PATH, world, change(good, path=(good.path[0], "question:1", good.path[-1]))),
        (Failure.NO_PATH, world, change(good, path=(good.path[0], "entry:404", good.path[-1]))),
        (Failure.NO_PATH, world, change(good, path=(good.path[0], good.path[0], good.path[-1]))),
    ]


INJECTED = [case for world, good in CANDIDATES for case in broken(world, good)]


def test_every_valid_candidate_is_accepted_with_its_quotations_pinned() -> None:
    for world, good in CANDIDATES:
        verdict = validate(good, world.entries, world.held)
        assert verdict.authorized, verdict.failures
        assert verdict.old_quote
        assert verdict.new_quote
        for quote in (verdict.old_quote, verdict.new_quote):
            entry = world.entries[quote.entry_id]
            assert quote.text == entry.text[quote.start : quote.end]
            assert (quote.at, quote.origin) == (entry.at, Origin.USER)


def test_every_injected_violation_is_rejected_and_named() -> None:
    assert len(INJECTED) >= 300
    assert {failure for failure, _, _ in INJECTED} == set(Failure)
    for failure, world, bad in INJECTED:
        verdict = validate(bad, world.entries, world.held)
        assert not verdict.authorized
        assert failure in verdict.failures, (failure, verdict.failures)
        assert all(len(named.words) > 20 for named in verdict.failures)


def test_a_memory_of_other_words_counts_if_its_store_names_the_entry() -> None:
    world, good = valid("Leeds", "Porto", OLD[0], NEW[0])
    reworded = [HeldMemory(1, "Is from Yorkshire", evidence=(good.old_quote.entry_id,))] if good.old_quote else []
    assert validate(good, world.entries, {1: reworded[0]}).authorized
    unlinked = HeldMemory(1, "Is from Yorkshire")
    assert validate(good, world.entries, {1: unlinked}).failures == (Failure.NO_APPLICATION,)


@pytest.mark.parametrize(
    ("quoted", "text", "found"),
    [
        ("moved to Porto", "Well. We MOVED to  Porto!", "MOVED to  Porto"),
        (
            "we’ve moved to Porto in spring",
            "we've moved to Porto in the spring, hooray",
            "moved to Porto in the spring",
        ),
        (
            "moved Porto spring boxes unpacked",
            "We moved to Porto in spring, boxes are unpacked now",
            "moved to Porto in spring, boxes are unpacked",
        ),
        ("moved Porto spring boxes unpacked", "We moved to Porto in spring", None),  # three of five
        ("Porto " * 5, "Porto", None),  # each repetition counts
        ("", "anything", None),
        ("I do.", "I do.", None),  # says nothing
        ("art", "I have a cart and a party", None),
    ],
)
def test_where_a_quotation_stands(quoted: str, text: str, found: str | None) -> None:
    span = locate(quoted, text)
    assert (span and text[slice(*span)]) == found


def test_words_gathered_from_all_over_a_long_entry_are_no_quotation() -> None:
    filler = " ".join(f"word{number}" for number in range(200))
    assert locate("bought violin Ghent yesterday", f"bought {filler} violin {filler} Ghent {filler} yesterday") is None


WORDS = ["Leeds", "Porto", "moved", "to", "I", "live", "in", "not", "work", "at", "Siemens", "now", "tea", "the"]
texts = st.lists(st.sampled_from(WORDS), min_size=0, max_size=8).map(" ".join)
times = st.one_of(st.none(), st.integers(0, 3))
entries_strategy = st.dictionaries(
    st.integers(1, 4),
    st.tuples(texts, times, st.sampled_from(Origin), st.booleans()),
    max_size=4,
)
quotes = st.one_of(st.none(), st.builds(quotation, st.integers(1, 5), texts, at=times, origin=st.sampled_from(Origin)))
nodes = st.one_of(
    st.builds("entry:{}".format, st.integers(1, 5)),
    st.builds("memory:{}".format, st.integers(1, 3)),
    st.sampled_from(["slot:x", "slot:", "draft:1", "entry:x", ""]),
)
proposals = st.builds(
    Transition,
    kind=st.sampled_from(TransitionKind),
    key=st.just("k"),
    old_memory_id=st.integers(1, 3),
    new_memory_id=st.one_of(st.none(), st.integers(1, 3)),
    old_value=texts,
    new_value=texts,
    new_claim=texts,
    old_quote=quotes,
    new_quote=quotes,
    path=st.lists(nodes, max_size=4).map(tuple),
)


def breaks_a_rule(proposal: Transition, entries: dict[int, EvidenceEntry], memories: dict[int, HeldMemory]) -> bool:
    """The rules once more, said as plainly as can be."""
    old, new = proposal.old_quote, proposal.new_quote
    if old is None or new is None or old.entry_id not in entries or new.entry_id not in entries:
        return True
    before, after = entries[old.entry_id], entries[new.entry_id]
    for quote, entry, value in ((old, before, proposal.old_value), (new, after, proposal.new_value)):
        wanted, there = Counter(content_tokens(quote.text)), Counter(content_tokens(entry.text))
        if (wanted & there).total() < 0.8 * wanted.total() or not wanted:
            return True
        if entry.origin is not Origin.USER or not entry.active or not value.strip():
            return True
        if not set(content_tokens(value)) <= set(there):
            return True
    if before.at is None or after.at is None or after.at <= before.at or proposal.old_memory_id not in memories:
        return True
    if proposal.kind is not TransitionKind.DUPLICATE and proposal.old_value.casefold() == proposal.new_value.casefold():
        return True
    ends = proposal.path[:1], proposal.path[-1:]
    if len(proposal.path) < 2 or ends[1] != (f"entry:{after.id}",):
        return True
    if ends[0][0] not in (f"entry:{before.id}", f"memory:{proposal.old_memory_id}"):
        return True
    known = {f"entry:{number}" for number in entries} | {f"memory:{number}" for number in memories}
    return any(node not in known and not re.fullmatch(r"slot:.+", node) for node in proposal.path)


@settings(max_examples=600, deadline=None)
@given(entries_strategy, proposals, st.lists(texts, max_size=3))
def test_no_proposer_gets_through_with_a_broken_rule(
    said: dict[int, tuple[str, int | None, Origin, bool]], proposal: Transition, notes: list[str]
) -> None:
    entries = {number: EvidenceEntry(number, 1, *row) for number, row in said.items()}
    memories = {number: HeldMemory(number, text) for number, text in enumerate(notes, 1)}
    verdict = validate(proposal, entries, memories)
    assert verdict.authorized == (not verdict.failures)
    if verdict.authorized:
        assert not breaks_a_rule(proposal, entries, memories)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(CANDIDATES), st.data())
def test_one_wrong_part_in_a_good_candidate_never_slips_through(
    candidate: tuple[World, Transition], data: st.DataObject
) -> None:
    world, good = candidate
    bad = data.draw(proposals)
    part = data.draw(
        st.sampled_from(["old_quote", "new_quote", "old_value", "new_value", "path", "old_memory_id", "new_memory_id"])
    )
    mixed = msgspec.structs.replace(good, **{part: getattr(bad, part)})
    if validate(mixed, world.entries, world.held).authorized:
        assert not breaks_a_rule(mixed, world.entries, world.held)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.text(max_size=120))
def test_any_text_can_be_looked_for_in_any_text(quoted: str, text: str) -> None:
    span = locate(quoted, text)
    assert span is None or 0 <= span[0] < span[1] <= len(text)
