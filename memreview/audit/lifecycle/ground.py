"""What the proposers stand on: memories and the person's own sentences, read once, with their places and
likeness."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from memreview.audit.lifecycle.claims import Claim, claims, measure
from memreview.audit.lifecycle.cues import Disclosure, disclosures
from memreview.audit.lifecycle.evidence import EvidenceEntry, HeldMemory, Since, Statement
from memreview.audit.lifecycle.grammar import KIN, SELF, stems
from memreview.audit.lifecycle.space import Space, nearest
from memreview.audit.lifecycle.stance import Sentence, asserted, invented_from, sentences
from memreview.records.transition import Quotation

_LETTERS = re.compile(r"\w+")
_CANDIDATES = 32  # windows that are read to find the words a memory rests on
_NEW_WINDOWS_NEAR, _NEW_MEMORIES_NEAR = 64, 256
_OPENING = re.compile(r"([A-Z][a-z]+)(?:'s)? (?:is|has|was|lives|works|likes|prefers|uses|plays|[a-z]+s)\b")
_SOMEBODY_ELSE = re.compile(
    rf"^(?:(?:the )?user's |my |our )?(?:[\w-]+ )?{KIN}\b(?!(?:'s name)?(?: is|:) (?:called |named )?[A-Z])", re.I
)


def _prefix(stem: str) -> str:
    """Letters that a stem shares with its words, whose ending the stemmer may have changed ("fly", "fli")."""
    return stem[:4] if len(stem) > 4 else stem[:2]


@dataclass(frozen=True, slots=True)
class Told:
    """An asserted sentence of the person's own, in window number `window`."""

    window: int
    statement: Statement
    sentence: Sentence
    claims: tuple[Claim, ...]
    disclosures: tuple[Disclosure, ...]


@dataclass(frozen=True, slots=True)
class Anchor:
    """The person's own words that a memory rests on. `linked`: its store names them; else they were found
    by likeness."""

    quote: Quotation
    linked: bool
    likeness: float
    value: str  # the old value as those words have it


class Ground:
    """Indices run over `memories` and over `own`, the windows of the person's own words in order of time."""

    def __init__(
        self,
        memories: Sequence[HeldMemory],
        own: Sequence[Statement],
        entries: Mapping[int, EvidenceEntry],
        space: Space,
        since: Since | None,
    ) -> None:
        self.memories, self.own, self.entries, self.space = memories, own, entries, space
        self.since = since or Since()
        self._of_entry: dict[int, list[int]] = defaultdict(list)
        for index, statement in enumerate(own):
            self._of_entry[statement.entry_id].append(index)
        self._memory_claims: dict[int, tuple[Claim, ...]] = {}
        self._holding: dict[frozenset[str], list[int]] = {}
        self._told: dict[int, tuple[Told, ...]] = {}
        self._invented: dict[int, int] = {}

    @cached_property
    def new_windows(self) -> list[int]:
        return [index for index, statement in enumerate(self.own) if statement.window_id > self.since.window_id]

    @cached_property
    def new_memories(self) -> list[int]:
        return [index for index, memory in enumerate(self.memories) if memory.id > self.since.memory_id]

    def is_new(self, memory: int, window: int | None, other: int | None = None) -> bool:
        """Was either side unknown to the earlier audit?"""
        return (
            self.memories[memory].id > self.since.memory_id
            or (window is not None and self.own[window].window_id > self.since.window_id)
            or (other is not None and self.memories[other].id > self.since.memory_id)
        )

    @cached_property
    def audited_memories(self) -> list[int]:
        """All memories in a first audit; later those that are new or near to something new."""
        if len(self.new_memories) == len(self.memories):
            return self.new_memories
        near: set[int] = set(self.new_memories)
        spoken = [
            index for index in self.new_windows if any(told.claims or told.disclosures for told in self.told(index))
        ]
        for vectors in (self.space.windows[spoken], self.space.memories[self.new_memories]):
            if len(vectors):
                near.update(nearest(vectors, self.space.memories, _NEW_WINDOWS_NEAR).ravel().tolist())
        return sorted(near)

    @cached_property
    def audited_windows(self) -> list[int]:
        """All windows in a first audit; later the new ones, what was said since, and what is near to a new
        memory."""
        if len(self.new_windows) == len(self.own):
            return self.new_windows
        near: set[int] = set(range(min(self.new_windows, default=len(self.own)), len(self.own)))
        if self.new_memories and self.own:
            vectors = self.space.memories[self.new_memories]
            near.update(nearest(vectors, self.space.windows, _NEW_MEMORIES_NEAR).ravel().tolist())
        return sorted(near)

    @cached_property
    def heads(self) -> frozenset[str]:
        """Names of attributes that the memories have, as in "rent" or "team meeting"."""
        return frozenset(
            claim.slot.partition(".")[2]
            for memory in self.audited_memories
            for claim in self.claims(memory)
            if claim.slot.startswith(("attr.", "time.", "name."))
        )

    def claims(self, memory: int) -> tuple[Claim, ...]:
        """Claims of a memory, with those of the linked words that it rests on where they give the same
        value."""
        if memory not in self._memory_claims:
            held = self.memories[memory]
            subject = self.subject(memory)
            found = [
                claim if subject == SELF else replace(claim, subject=subject)
                for sentence in sentences(self._as_user(held.text))
                for claim in claims(sentence, noted=True)
                if subject == SELF or claim.subject == SELF
            ]
            if not found and (number := measure(held.text)) is not None:
                found = [number if subject == SELF else replace(number, subject=subject)]
            self._memory_claims[memory] = tuple(found)
        return self._memory_claims[memory]

    @cached_property
    def _owners(self) -> frozenset[str]:
        """The names by which the stores call the person: the one that opens a good part of the notes, and
        the one that most are filed under."""
        openings = Counter(found[1] for memory in self.memories if (found := _OPENING.match(memory.text)))
        filed = Counter(memory.subject for memory in self.memories if memory.subject)
        names = {name for name, count in openings.most_common(2) if count >= max(3, len(self.memories) // 20)}
        return frozenset(names - {"User", "The"} | {name for name, count in filed.most_common(1) if count >= 3})

    def subject(self, memory: int) -> str:
        """SELF, or the name that the memory is filed under."""
        name = self.memories[memory].subject
        if not name or "user" in name.casefold() or name in self._owners or name.split()[0] in self._owners:
            return SELF
        return name.casefold()

    def _as_user(self, text: str) -> str:
        first = text.split(" ", 1)[0].removesuffix("'s")
        known = first in self._owners or any(name.split()[0] == first for name in self._owners)
        return "User" + text[len(first) :] if known else text

    def told(self, window: int, *, heads: bool = False) -> tuple[Told, ...]:
        """The asserted sentences of a window; with `heads`, claims that name a known attribute without "my"
        too."""
        if not heads and window in self._told:
            return self._told[window]
        statement = self.own[window]
        known = self.heads if heads else frozenset()
        if statement.start >= self._invented_from(statement.entry_id):
            return ()
        read = tuple(
            Told(
                window,
                statement,
                sentence,
                tuple(claims(sentence, noted=False, heads=known)),
                tuple(disclosures(sentence)),
            )
            for sentence in asserted(statement.text)
        )
        if not heads:
            self._told[window] = read
        return read

    def _invented_from(self, entry: int) -> int:
        """Once a message, for one may have thousands of sentences."""
        if entry not in self._invented:
            self._invented[entry] = invented_from(self.entries[entry].text)
        return self._invented[entry]

    def of_somebody_else(self, memory: int) -> bool:
        return self.subject(memory) != SELF or _SOMEBODY_ELSE.match(self.memories[memory].text) is not None

    def quote(self, told: Told) -> Quotation:
        return self._quote(told.statement, told.sentence.start, told.sentence.end)

    def anchor(self, memory: int, value: str, claim: Claim | None, before: int | None) -> Anchor | None:
        """The person's own words that the memory rests on, said before `before`: in the entries that its
        store names, else the likest that carry the value and were said before the memory was written."""
        held = self.memories[memory]
        linked = [window for entry in held.evidence for window in self._of_entry.get(entry, ())]
        linked = [window for window in linked if self._earlier(window, before)]
        found = self._best(memory, linked, value, claim, least=-1.0)
        if found is not None:
            return self._anchor(*found, linked=True)
        if linked:
            window = max(linked, key=lambda index: self.space.likeness(memory, index))
            if self.space.likeness(memory, window) >= self.space.related:
                statement = self.own[window]
                quote = self._quote(statement, 0, len(statement.text))
                return Anchor(quote, True, self.space.likeness(memory, window), quote.text.strip(" .!"))
        if held.evidence:
            return None
        limit = before if held.created is None else min(held.created + 1, before or held.created + 1)
        found = self._best(memory, self._carrying(value, limit), value, claim, least=self.space.related)
        return self._anchor(*found, linked=False) if found else None

    def earlier_words(self, memory: int, before: int | None) -> list[int]:
        """Windows said before `before` that the memory may rest on, likest first: of the entries that its store names,
        else those said before it was written."""
        held = self.memories[memory]
        linked = [window for entry in held.evidence for window in self._of_entry.get(entry, ())]
        limit = before if held.created is None or linked else min(held.created + 1, before or held.created + 1)
        windows = np.array(linked or range(len(self.own)), dtype=np.int64)
        if not len(windows):
            return []
        likeness = self.space.windows[windows] @ self.space.memories[memory]
        order = windows[np.argsort(-likeness)[: 4 * _CANDIDATES]].tolist()
        near = [window for window in order if linked or self.space.likeness(memory, window) >= self.space.related]
        return [window for window in near if self._earlier(window, limit)][:_CANDIDATES]

    def said_later(self, memory: int, value: str, at: int) -> bool:
        """Did the person mention the value, about what the memory is about, at `at` or after?"""
        return any(
            not self._earlier(window, at) and self.space.likeness(memory, window) >= self.space.related
            for window in self._carrying(value, None)
        )

    def _earlier(self, window: int, before: int | None) -> bool:
        at = self.own[window].at
        return before is None or (at is not None and at < before)

    def _carrying(self, value: str, before: int | None) -> list[int]:
        """Windows that may hold all stems of the value: a look at the letters first, it is much the
        cheapest."""
        wanted = set(stems(value))
        if not wanted:
            return []
        key = frozenset(wanted)
        if key not in self._holding:
            rarest = min((self._beginning.get(_prefix(stem), []) for stem in wanted), key=len)
            self._holding[key] = [index for index in rarest if wanted <= set(stems(self.own[index].text))]
        return [index for index in self._holding[key] if self._earlier(index, before)]

    @cached_property
    def _beginning(self) -> dict[str, list[int]]:
        """Windows by the first letters of their words: much cheaper than stemming all of them."""
        index: dict[str, list[int]] = defaultdict(list)
        for window, statement in enumerate(self.own):
            words = set(_LETTERS.findall(statement.text.casefold()))
            for start in {word[:4] for word in words} | {word[:2] for word in words}:
                index[start].append(window)
        return index

    def _best(
        self, memory: int, windows: Sequence[int], value: str, claim: Claim | None, least: float
    ) -> tuple[int, Sentence, float, str] | None:
        wanted = set(stems(value))
        if len(windows) > _CANDIDATES:
            order = np.argsort(self.space.windows[windows] @ self.space.memories[memory])
            windows = [windows[index] for index in order[-_CANDIDATES:]]
        best: tuple[float, int, Sentence, float, str] | None = None
        for window in windows:
            likeness = self.space.likeness(memory, window)
            for told in self.told(window):
                same_slot = [other for other in told.claims if claim is not None and other.slot == claim.slot]
                agreeing = [
                    other
                    for other in same_slot
                    if claim is not None and other.subject == claim.subject and other.agrees(claim)
                ]
                if same_slot and not agreeing:
                    continue
                if not (agreeing or wanted <= set(stems(told.sentence.text))):
                    continue
                as_said = value if wanted <= set(stems(told.sentence.text)) else agreeing[0].value
                score = likeness + (0.3 if agreeing else 0.0)
                if score >= least and (best is None or score > best[0]):
                    best = (score, window, told.sentence, likeness, as_said)
        return None if best is None else best[1:]

    def _anchor(self, window: int, sentence: Sentence, likeness: float, value: str, *, linked: bool) -> Anchor:
        return Anchor(self._quote(self.own[window], sentence.start, sentence.end), linked, likeness, value)

    def _quote(self, statement: Statement, start: int, end: int) -> Quotation:
        text = statement.text[start:end]
        start += len(text) - len(text.lstrip())
        text = text.strip(" \n,;")
        begin = statement.start + start
        return Quotation(
            entry_id=statement.entry_id,
            text=text,
            start=begin,
            end=begin + len(text),
            at=statement.at,
            origin=statement.origin,
        )
