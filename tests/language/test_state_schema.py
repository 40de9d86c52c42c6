from __future__ import annotations

from collections import Counter
from itertools import pairwise

import msgspec
import pytest

from memreview.language.state_schema import MAX_DEPTH, load


def test_ten_domains_share_the_slots_and_no_id_comes_twice():
    schema = load()
    assert len(schema.domains) == 10
    assert 90 <= len(schema.slots) <= 130
    assert len({slot.id for slot in schema.slots}) == len(schema.slots)
    per_domain = Counter(slot.domain for slot in schema.slots)
    assert set(per_domain) == {domain.id for domain in schema.domains}
    assert min(per_domain.values()) >= 8


def test_each_slot_says_what_it_is_in_one_sentence_with_examples():
    for slot in load().slots:
        assert slot.title
        assert slot.definition.endswith(".")
        assert 2 <= len(slot.examples) <= 3, slot.id
        assert not any(example.startswith("User") or example.endswith(".") for example in slot.examples), slot.id


def test_dependencies_join_known_and_different_slots_once():
    schema = load()
    assert len(schema.dependencies) >= 150
    for edge in schema.dependencies:
        assert edge.source in schema
        assert edge.target in schema
        assert edge.source != edge.target
        assert edge.when
        assert edge.why
    assert len({(edge.source, edge.target) for edge in schema.dependencies}) == len(schema.dependencies)


def test_what_the_law_calls_sensitive_is_protected():
    schema = load()
    protected = {slot.id for slot in schema.slots if slot.protected}
    assert {"person.religion", "person.politics", "person.sexuality", "person.ethnicity"} <= protected
    assert {slot.id for slot in schema.slots if slot.domain == "health"} <= protected
    assert "diet.likes" not in protected


def test_each_dependency_begins_at_one_slot():
    schema = load()
    assert "transport.commute" in {edge.target for edge in schema.dependents("health.mobility")}
    assert sum(len(schema.dependents(slot.id)) for slot in schema.slots) == len(schema.dependencies)
    assert schema.dependents("person.ethnicity") == ()


def test_reach_follows_chains_of_two_by_the_shortest_path_and_never_comes_home():
    schema = load()
    for slot in schema.slots:
        paths = schema.reach(slot.id)
        assert slot.id not in paths
        for target, path in paths.items():
            assert 1 <= len(path) <= MAX_DEPTH
            assert (path[0].source, path[-1].target) == (slot.id, target)
            assert all(first.target == second.source for first, second in pairwise(path))
    injury = schema.reach("health.injury")
    assert len(injury["transport.commute"]) == 1
    assert [edge.source for edge in injury["location.dwelling"]] == ["health.injury", "health.mobility"]
    assert set(schema.reach("health.injury", depth=1)) == {edge.target for edge in schema.dependents("health.injury")}


def test_an_unknown_slot_is_an_error_and_the_schema_is_frozen():
    schema = load()
    assert schema.slot("location.city").valued == "single"
    with pytest.raises(KeyError):
        schema.slot("location.planet")
    with pytest.raises(AttributeError):
        schema.slot("location.city").valued = "multi"
    assert load() is schema


def test_a_slot_row_with_a_key_too_many_is_refused():
    row = msgspec.to_builtins(load().slots[0]) | {"colour": "red"}
    with pytest.raises(msgspec.ValidationError, match="colour"):
        msgspec.convert(row, type(load().slots[0]))
