"""Candidates for transitions, generously: what was overturned in so many words, another value for the same
attribute, and one thing noted twice. Nothing here authorizes; that is the validator's part."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, takewhile

from memreview.audit.lifecycle.claims import NUMERIC, Claim, kind_of, number_of
from memreview.audit.lifecycle.cues import Change, Disclosure, ended
from memreview.audit.lifecycle.duplicates import duplicates
from memreview.audit.lifecycle.evidence import EvidenceEntry, HeldMemory, Similarity, Since, Statement
from memreview.audit.lifecycle.grammar import ANYBODY, SELF, UNIQUE_KIN, stems
from memreview.audit.lifecycle.ground import Anchor, Ground, Told
from memreview.audit.lifecycle.inferred import Reader, inferred
from memreview.audit.lifecycle.slots import harm_of
from memreview.audit.lifecycle.space import space
from memreview.audit.lifecycle.wording import denied, key, replaced
from memreview.audit.lifecycle.wording import told as retold
from memreview.records.transition import Quotation, Transition, TransitionKind

Progress = Callable[[float], None]

_NEGATION = frozenset({"not", "no", "never", "dont", "doesnt", "avoid", "without"})
_EMPTY = frozenset(
    {"old", "now", "new", "job", "thing", "one", "use", "do", "take", "be", "go", "get", "call", *_NEGATION}
)
# "Is married to Helen" with "divorced" in its place would say something else: these are told anew.
_SAID_ANEW = frozenset({"family.status", "diet.pattern"})
_STEPS = 3  # intermediate values that a path goes through
_BRANCHES = 3  # memories that one disclosure may overturn
_SHARE = 0.55  # of what was said to have ended that a memory must hold


def propose(
    memories: Sequence[HeldMemory],
    statements: Sequence[Statement],
    entries: Mapping[int, EvidenceEntry],
    similarity: Similarity | None,
    since: Since | None = None,
    progress: Progress | None = None,
    reader: Reader | None = None,
) -> list[Transition]:
    """All candidates, several for one change perhaps. With `since` only those with a side that is new; with a
    `reader` also what its models infer."""
    own = sorted(
        (statement for statement in statements if statement.own and statement.entry_id in entries),
        key=lambda statement: (statement.at is not None, statement.at or 0, statement.window_id),
    )
    report = progress or (lambda fraction: None)
    near = space([memory.text for memory in memories], [statement.text for statement in own], similarity)
    ground = Ground(memories, own, entries, near, since)
    report(0.1)
    spoken = [told for window in ground.audited_windows for told in ground.told(window, heads=True)]
    report(0.5)
    found = [*_typed(ground, spoken)]
    report(0.7)
    found += _disclosed(ground, spoken)
    found += _numbers(ground, spoken)
    report(0.9)
    if reader is not None:
        found += inferred(ground, reader, found)
    found += _duplicates(ground)
    report(1.0)
    return found


# One attribute, two values.


def _typed(ground: Ground, spoken: Sequence[Told]) -> Iterator[Transition]:
    said: dict[tuple[str, str], list[tuple[Told, Claim]]] = defaultdict(list)
    for told in spoken:
        for claim in told.claims:
            said[claim.key].append((told, claim))
    noted: dict[tuple[str, str], list[tuple[int, Claim]]] = defaultdict(list)
    for memory in ground.audited_memories:
        for claim in ground.claims(memory):
            noted[claim.key].append((memory, claim))
    for attribute, holders in noted.items():
        if attribute[0] != SELF and not UNIQUE_KIN.match(attribute[0]):
            continue
        told_of: set[int] = set()
        heirs: dict[frozenset[str], list[int]] = defaultdict(list)
        for memory, claim in reversed(holders):
            heirs[claim.canon].append(memory)
        for memory, claim in holders:
            if not ended(ground.memories[memory].text):
                found = _against_statements(ground, memory, claim, said.get(attribute, []), heirs)
                if found is not None:
                    told_of.add(memory)
                    yield found
        differ = len({claim.canon for _, claim in holders}) > 1 and any(
            ground.is_new(memory, None) for memory, _ in holders
        )
        dated = _dated(ground, holders) if differ else []
        newest = max(dated, key=lambda note: note.order, default=None)
        for note in dated:
            if newest is not None and note.memory not in told_of and (found := _against_notes(ground, note, newest)):
                yield found


def _against_statements(
    ground: Ground,
    memory: int,
    claim: Claim,
    said: Sequence[tuple[Told, Claim]],
    heirs: Mapping[frozenset[str], list[int]],
) -> Transition | None:
    usable = (
        (told, other)
        for told, other in reversed(said)
        if told.statement.at is not None and (other.agrees(claim) or _competes(claim, other, told))
    )
    told, latest = next(usable, (None, None))
    if told is None or latest is None or latest.agrees(claim):
        return None
    at = told.statement.at or 0
    heir = next((other for other in heirs.get(latest.canon, ()) if other != memory), None)
    if not ground.is_new(memory, told.window, heir):
        return None
    anchor = ground.anchor(memory, claim.value, claim, at)
    since = _stands_since(ground, memory, anchor)
    if since is not None and since >= at:
        return None
    if told.sentence.year and since is not None and told.sentence.year < datetime.fromtimestamp(since / 1e6, UTC).year:
        return None
    if since is None and not latest.changed and ground.said_later(memory, claim.value, at):
        return None
    steps = takewhile(lambda step: since is None or (step[0].statement.at or 0) > since, usable)
    between = [step.statement.entry_id for step, other in islice(steps, _STEPS) if not other.agrees(claim)]
    strength = 0.9 if latest.changed else 0.7 if since is not None else 0.5
    return _transition(
        ground,
        TransitionKind.EXPLICIT if latest.changed else TransitionKind.SAME_SUBJECT,
        memory,
        slot=_slot_name(claim),
        old_value=claim.value,
        new_value=latest.value,
        anchor=anchor,
        told=told,
        strength=strength,
        heir=heir,
        between=between[::-1],
        reason="You said so with another value later." if not latest.changed else "You said that it changed.",
    )


def _competes(claim: Claim, other: Claim, told: Told) -> bool:
    """May the other value exclude this one?"""
    if told.sentence.additional or not (claim.single or (other.changed and other.slot.startswith("name."))):
        return False
    if not claim.slot.startswith(("attr.", "time.", "name.")):
        return True
    kinds = kind_of(claim.value), kind_of(other.value)
    return kinds[0] == kinds[1] or (other.changed and "number" not in kinds and "time" not in kinds)


@dataclass(frozen=True, slots=True)
class _Dated:
    """A memory's value, the words it rests on, and since when it stands if that is known."""

    memory: int
    claim: Claim
    anchor: Anchor | None
    since: int | None

    @property
    def order(self) -> tuple[bool, int, int]:
        return self.since is not None, self.since or 0, self.memory


def _dated(ground: Ground, holders: Sequence[tuple[int, Claim]]) -> list[_Dated]:
    found = []
    for memory, claim in holders:
        if claim.single and not ended(ground.memories[memory].text):
            anchor = ground.anchor(memory, claim.value, claim, None)
            found.append(_Dated(memory, claim, anchor, _stands_since(ground, memory, anchor)))
    return found


def _against_notes(ground: Ground, mine: _Dated, newest: _Dated) -> Transition | None:
    """Another memory, written later, has another value."""
    if newest.claim.agrees(mine.claim) or not ground.is_new(mine.memory, None, newest.memory):
        return None
    if mine.claim.typed and kind_of(newest.claim.value) != kind_of(mine.claim.value):
        return None
    known = mine.since is not None and newest.since is not None
    if known and newest.order <= mine.order:
        return None
    if not known and newest.memory <= mine.memory:
        return None
    return _transition(
        ground,
        TransitionKind.SAME_SUBJECT,
        mine.memory,
        slot=_slot_name(mine.claim),
        old_value=mine.claim.value,
        new_value=newest.anchor.value if newest.anchor else newest.claim.value,
        anchor=mine.anchor,
        later=newest.anchor,
        strength=0.65 if known else 0.45,
        heir=newest.memory,
        reason="Another memory has another value."
        if known
        else "Another memory has another value; which is newer is unknown.",
    )


def _stands_since(ground: Ground, memory: int, anchor: Anchor | None) -> int | None:
    """The time that a memory speaks of: that of the words its store names; else the later of what is known."""
    written = ground.memories[memory].written
    if anchor is None:
        return written
    if anchor.linked or written is None:
        return anchor.quote.at
    return max(written, anchor.quote.at or written)


def _slot_name(claim: Claim) -> str:
    if not claim.typed:
        return ""
    return claim.slot if claim.subject == SELF else f"{claim.subject}:{claim.slot}"


# Endings, exchanges and returns that were said in so many words.


def _disclosed(ground: Ground, spoken: Sequence[Told]) -> Iterator[Transition]:
    holding: dict[str, list[int]] = defaultdict(list)
    for memory in ground.audited_memories:
        if not ground.of_somebody_else(memory):
            for stem in set(stems(ground.memories[memory].text)):
                holding[stem].append(memory)
    for told in spoken:
        for change in told.disclosures:
            match = _returned if change.change is Change.RESUMED else _ended
            for memory, share in match(ground, told, change, holding):
                found = _overturned(ground, memory, told, change, share)
                if found is not None:
                    yield found


def _ended(ground: Ground, told: Told, change: Disclosure, holding: Mapping[str, list[int]]) -> list[tuple[int, float]]:
    """Memories that hold what is said to be over, with the weight of what they share."""
    gone = [stem for stem in dict.fromkeys(stems(f"{change.thing} {change.old}")) if stem not in _EMPTY]
    if not gone:
        return []
    many = len(ground.memories) + 1
    weight = {stem: 1.0 / (1 + len(holding.get(stem, ())) / max(10, many / 50)) for stem in gone}
    shared: dict[int, float] = defaultdict(float)
    for stem in gone:
        for memory in holding.get(stem, ())[:500]:
            shared[memory] += weight[stem] / sum(weight.values())
    news = set(stems(change.new)) - set(gone) if change.change is Change.REPLACED else set()
    fits = []
    for memory, share in shared.items():
        words = set(stems(ground.memories[memory].text))
        if change.thing and not words & set(stems(change.old)):
            continue  # about the thing, but not about what changed
        if share < _SHARE or words & _NEGATION or ended(ground.memories[memory].text) or (news and news <= words):
            continue
        likeness = ground.space.likeness(memory, told.window)
        if share > 0.99 or likeness >= ground.space.related:
            fits.append((memory, share * (0.8 + 0.2 * max(0.0, likeness))))
    return sorted(fits, key=lambda fit: -fit[1])[:_BRANCHES]


def _returned(
    ground: Ground, told: Told, change: Disclosure, holding: Mapping[str, list[int]]
) -> list[tuple[int, float]]:
    """Memories that deny what is said to be so again."""
    now = set(stems(told.sentence.text))
    if now & _NEGATION:
        return []
    denials = {memory for word in _NEGATION for memory in holding.get(word, ())}
    fits = []
    for memory in denials:
        denied = set(stems(ground.memories[memory].text)) - _NEGATION
        if len(denied) >= 2 and denied <= now:
            fits.append((memory, 1.0))
    return fits[:_BRANCHES]


def _overturned(ground: Ground, memory: int, told: Told, change: Disclosure, share: float) -> Transition | None:
    held, at = ground.memories[memory], told.statement.at
    if (
        at is None
        or (told.sentence.momentary and change.change is Change.RESUMED)
        or not ground.is_new(memory, told.window)
    ):
        return None
    over = set(stems(change.old)) if change.change is not Change.RESUMED else set(stems(held.text))
    claim = next(
        (claim for claim in ground.claims(memory) if claim.canon & over or set(stems(claim.value)) & over), None
    )
    value = claim.value if claim and change.change is not Change.RESUMED else _span_of(held.text, over)
    anchor = ground.anchor(memory, value, claim, at)
    since = _stands_since(ground, memory, anchor)
    if since is not None and since >= at:
        return None
    return _transition(
        ground,
        TransitionKind.EXPLICIT,
        memory,
        slot=_slot_name(claim) if claim else "",
        old_value=value,
        new_value=change.new,
        anchor=anchor,
        told=told,
        strength=change.strength * min(1.0, share),
        change=change.change,
        reason="You said that it changed.",
    )


def _span_of(text: str, over: set[str]) -> str:
    """From the first to the last word of the text that is in `over`."""
    places = [match.span() for match in re.finditer(r"[\w'’-]+", text) if set(stems(match[0])) & over]
    return text[places[0][0] : places[-1][1]] if places else text.strip(" .")


# The same sentence with another number.


def _numbers(ground: Ground, spoken: Sequence[Told]) -> Iterator[Transition]:
    said: dict[str, list[Told]] = defaultdict(list)
    for told in spoken:
        if NUMERIC.search(told.sentence.text) and not (
            told.sentence.momentary or told.sentence.additional or told.sentence.scoped
        ):
            for stem in set(stems(told.sentence.text)):
                said[stem].append(told)
    for memory in ground.audited_memories:
        text = ground.memories[memory].text
        number = number_of(text)
        if number is None or ground.of_somebody_else(memory) or any(claim.typed for claim in ground.claims(memory)):
            continue
        frame = {stem for stem in stems(text) if not stem[0].isdigit()}
        if len(frame) < 2:
            continue
        rarest = min(frame, key=lambda stem: len(said.get(stem, ())))
        for told in reversed(said.get(rarest, ())):
            found = _renumbered(ground, memory, number, frame, told)
            if found is not None:
                yield found
                break


def _renumbered(ground: Ground, memory: int, number: re.Match[str], frame: set[str], told: Told) -> Transition | None:
    text, at = told.sentence.text, told.statement.at
    other = number_of(text)
    if at is None or other is None or not frame <= set(stems(text)) or stems(other[0]) == stems(number[0]):
        return None
    before = text[: other.start()]
    if (
        not re.search(r"\b(?:i|we|my|our)\b", before, re.I)
        or ANYBODY.search(before)
        or not ground.is_new(memory, told.window)
    ):
        return None
    anchor = ground.anchor(memory, number[0], None, at)
    since = _stands_since(ground, memory, anchor)
    if since is not None and since >= at:
        return None
    return _transition(
        ground,
        TransitionKind.SAME_SUBJECT,
        memory,
        slot="",
        old_value=number[0],
        new_value=other[0],
        anchor=anchor,
        told=told,
        strength=0.75,
        reason="You said the same with another number later.",
    )


def _duplicates(ground: Ground) -> Iterator[Transition]:
    every = range(len(ground.memories))
    read = {memory: ground.claims(memory) for memory in ground.audited_memories}
    claims = [read.get(memory, ()) for memory in every]
    subjects = [ground.subject(memory) for memory in every]
    for folded, stays, score in duplicates(
        ground.memories, ground.space.memories, claims, subjects, ground.space.alike, ground.new_memories
    ):
        old, new = ground.memories[folded], ground.memories[stays]
        yield Transition(
            kind=TransitionKind.DUPLICATE,
            key=key("", old.text, old.text, new.text),
            old_memory_id=old.id,
            new_memory_id=new.id,
            old_value=old.text,
            new_value=new.text,
            new_claim=new.text,
            path=(f"memory:{old.id}", f"memory:{new.id}"),
            confidence=round(min(0.99, score), 3),
            harm=0.1,
            reasons=("Two memories say one thing.",),
        )


def _transition(
    ground: Ground,
    kind: TransitionKind,
    memory: int,
    *,
    slot: str,
    old_value: str,
    new_value: str,
    anchor: Anchor | None,
    strength: float,
    reason: str,
    told: Told | None = None,
    later: Anchor | None = None,
    heir: int | None = None,
    between: Sequence[int] = (),
    change: Change = Change.REPLACED,
) -> Transition:
    held = ground.memories[memory]
    quote = ground.quote(told) if told else later.quote if later else None
    said = anchor.value if anchor else old_value
    path = [f"entry:{anchor.quote.entry_id}"] if anchor else []
    path += [f"memory:{held.id}", *([f"slot:{slot}"] if slot else [])]
    ends = {anchor.quote.entry_id if anchor else None, quote.entry_id if quote else None}
    path += [f"entry:{entry}" for entry in dict.fromkeys(between) if entry not in ends]
    path += [f"entry:{quote.entry_id}"] if quote else []
    if heir is not None and quote is None:
        path.append(f"memory:{ground.memories[heir].id}")
    rest = 0.7 if anchor is None else 1.0 if anchor.linked else 0.9
    return Transition(
        kind=kind,
        key=key(slot, old_value, held.text, new_value),
        old_memory_id=held.id,
        new_memory_id=None if heir is None else ground.memories[heir].id,
        old_value=said,
        new_value=new_value,
        new_claim=_after(held.text, old_value, new_value, slot, quote, change)
        if heir is None
        else ground.memories[heir].text,
        slot=slot,
        old_quote=anchor.quote if anchor else None,
        new_quote=quote,
        path=tuple(path),
        confidence=round(min(0.99, strength * rest), 3),
        harm=harm_of(slot, f"{slot} {held.text}"),
        reasons=(reason,),
    )


def _after(note: str, old_value: str, new_value: str, slot: str, quote: Quotation | None, change: Change) -> str:
    """The memory that would hold from then on, in the words of the note where they allow it."""
    if change is Change.ENDED:
        return denied(note, old_value)
    anew = change in (Change.RESUMED, Change.GONE) or slot in _SAID_ANEW
    exchanged = "" if anew else replaced(note, old_value, new_value)
    return exchanged or (retold(quote.text) if quote else denied(note, old_value))
