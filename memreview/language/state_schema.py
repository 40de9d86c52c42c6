"""The typed state of a person: domains, their slots, and which slots a change elsewhere may rule out.

The table is resources/state_schema/schema.json, written from general knowledge before any evaluation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Literal

import msgspec

from memreview.resources import RESOURCES

Timescale = Literal["stable", "contextual", "transient"]
SCHEMA = RESOURCES / "state_schema" / "schema.json"
MAX_DEPTH = 2
"""A longer chain of "may rule out" rules out nearly everything."""


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of the schema: strict, and without a way to change it."""


class Domain(_Row, frozen=True):
    id: str
    title: str


class Slot(_Row, frozen=True):
    """`timescale` is the usual one; `protected` values are stored only if the person states them of themselves."""

    id: str
    title: str
    definition: str
    valued: Literal["single", "multi"]
    timescale: Timescale
    protected: bool
    examples: tuple[str, ...]

    @property
    def domain(self) -> str:
        return self.id.partition(".")[0]


class Dependency(_Row, frozen=True, rename={"source": "from", "target": "to"}):
    """A change of `source` may rule out what is held for `target`: in the case `when`, by the rule `why`."""

    source: str
    target: str
    when: str
    why: str


class StateSchema(_Row, frozen=True, dict=True):
    domains: tuple[Domain, ...]
    slots: tuple[Slot, ...]
    dependencies: tuple[Dependency, ...]

    def slot(self, id: str) -> Slot:
        """KeyError if the schema has no such slot."""
        return self._by_id[id]

    def __contains__(self, id: object) -> bool:
        return id in self._by_id

    def dependents(self, slot: str) -> tuple[Dependency, ...]:
        """What a change of this slot may rule out."""
        return self._outgoing.get(slot, ())

    def reach(self, slot: str, depth: int = MAX_DEPTH) -> Mapping[str, tuple[Dependency, ...]]:
        """Each slot that a change of this one may rule out in at most `depth` steps, with a shortest path to it."""
        paths: dict[str, tuple[Dependency, ...]] = {slot: ()}
        for step in range(depth):
            for path in [path for path in paths.values() if len(path) == step]:
                for edge in self.dependents(path[-1].target if path else slot):
                    paths.setdefault(edge.target, (*path, edge))
        del paths[slot]
        return paths

    @cached_property
    def _by_id(self) -> dict[str, Slot]:
        return {slot.id: slot for slot in self.slots}

    @cached_property
    def _outgoing(self) -> dict[str, tuple[Dependency, ...]]:
        return _grouped((edge.source, edge) for edge in self.dependencies)


@cache
def load() -> StateSchema:
    return msgspec.json.decode(SCHEMA.read_bytes(), type=StateSchema)


def _grouped(edges: Iterable[tuple[str, Dependency]]) -> dict[str, tuple[Dependency, ...]]:
    groups: dict[str, list[Dependency]] = defaultdict(list)
    for slot, edge in edges:
        groups[slot].append(edge)
    return {slot: tuple(group) for slot, group in groups.items()}
