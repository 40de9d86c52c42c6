"""The labelled utterances and pairs that the language models learn from: reading, checking, splitting.

resources/training/README.md defines the labels. `python -m memreview.evaluate.training_data FOLDER` checks what
authors wrote.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

from memreview.evaluate.jsonl import Line, decoded
from memreview.language import state_schema
from memreview.language.state_schema import Timescale

Origin = Literal["user", "assistant", "tool_output", "retrieved_document", "shared_file"]
Direction = Literal["instruction", "constraint", "goal", "like", "dislike", "habit", "fact"]
SpeechAct = Literal["sincere", "sarcastic", "hypothetical", "other_person", "quoted", "past", "temporary"]
Relation = Literal["supersedes", "scopes", "duplicates", "coexists", "unrelated"]
Nli = Literal["entailment", "neutral", "contradiction"]

GLOBAL = "global"
TEST_VOICE = "unseen"
NLI_OF: dict[Relation, frozenset[Nli]] = {
    "duplicates": frozenset({"entailment"}),
    "supersedes": frozenset({"contradiction", "neutral"}),
    "scopes": frozenset({"contradiction", "neutral"}),
    "coexists": frozenset({"entailment", "neutral"}),
    "unrelated": frozenset({"neutral"}),
}
PLAINLY: dict[SpeechAct, Literal["add", "retain", "quarantine"]] = {
    "sincere": "add",
    "other_person": "add",
    "sarcastic": "retain",
    "quoted": "quarantine",
}
"""What becomes of a message that claims something and concerns nothing that is held. An exception (`temporary`) is from
something that is, so that nothing can be said of it."""

_OF_CLAIMS = ("claim", "claim_span", "scope", "scope_span", "timescale", "direction", "slot")

GRAM = 5
NEAR = 0.6
"""Jaccard similarity of character 5-grams from which two lines count as near-duplicates."""
FRAME_USES = 3
PHRASE_WORDS = range(5, 13)
_FUNCTION_WORDS = frozenset(
    """
    a about after again all also always am an and any are as at be because been before but by can could
    did do does doing don't down for from get go got had has have he her here him his how i i'd i'll i'm
    i've if in instead into is isn't it it's its just like me more most my never no not now of off on
    once only or our out over please really she should since so some still than that that's the their
    them then there these they this those to too until up us very was we we're we've were what when
    where which while who why will with would you your
    """.split()
)


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of a file: each key required, none added."""


class UtteranceLabel(_Row, frozen=True):
    """All but has_claim and speech_act are None without a claim."""

    has_claim: bool
    claim: str | None
    claim_span: str | None
    scope: str | None
    scope_span: str | None
    timescale: Timescale | None
    direction: Direction | None
    slot: str | None
    speech_act: SpeechAct


class Utterance(_Row, frozen=True):
    id: str
    author: str
    topic: str
    text: str
    origin: Origin
    label: UtteranceLabel

    @property
    def content(self) -> str:
        return self.text


class Statement(_Row, frozen=True):
    text: str
    at: Annotated[datetime, msgspec.Meta(tz=True)]


class Claim(_Row, frozen=True):
    """A line of `statements*.tsv`: a text that claims something, labelled with what kind of claim it is only."""

    slot: str
    direction: Direction
    timescale: Timescale
    topic: str
    text: str


class Pair(_Row, frozen=True):
    """`nli` tells whether `newer` follows from `older`."""

    id: str
    author: str
    topic: str
    older: Statement
    newer: Statement
    relation: Relation
    nli: Nli
    implicit: bool
    old_slot: str | None
    new_slot: str | None

    @property
    def content(self) -> str:
        return f"{self.older.text} → {self.newer.text}"


Record = TypeVar("Record", Utterance, Pair)


@dataclass(frozen=True, slots=True)
class Problem:
    path: Path
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


class BadTrainingData(ValueError):
    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Report:
    """`frames` are worn phrases and skeletons ("i … my … to …"): author, frame, number of lines that share it."""

    utterances: int
    pairs: int
    counts: dict[str, Counter[str]]
    near_duplicates: tuple[tuple[str, str], ...]
    frames: tuple[tuple[str, str, int], ...]
    problems: tuple[Problem, ...]

    @property
    def near_duplicate_rate(self) -> float:
        """Share of lines that have an earlier line as near-duplicate."""
        return len({later for _, later in self.near_duplicates}) / max(1, self.utterances + self.pairs)


def read_utterances(path: Path) -> list[Utterance]:
    """Of a file, or of all utterances*.jsonl under a folder. BadTrainingData names each line that breaks a rule."""
    return _strictly(_parse(path, "utterances", Utterance, _utterance_problems))


def read_pairs(path: Path) -> list[Pair]:
    """Of a file, or of all pairs*.jsonl under a folder. BadTrainingData names each line that breaks a rule."""
    return _strictly(_parse(path, "pairs", Pair, _pair_problems))


def read_claims(path: Path) -> list[Claim]:
    """Of all statements*.tsv under a folder. BadTrainingData names each line that breaks a rule."""
    found: list[Claim] = []
    problems: list[Problem] = []
    for file in sorted(path.rglob("statements*.tsv")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            try:
                claim = msgspec.convert(dict(zip(Claim.__struct_fields__, line.split("\t"), strict=True)), Claim)
            except ValueError as error:
                problems.append(Problem(file, number, str(error)))
                continue
            found.append(claim)
            problems += [Problem(file, number, what) for what in _slot_problems(claim.slot)]
    if problems:
        raise BadTrainingData(problems)
    return found


def voices(training: Path) -> list[str]:
    """All that may be trained on."""
    return sorted(folder.name for folder in training.iterdir() if folder.is_dir() and folder.name != TEST_VOICE)


def split(records: Sequence[Record], held_out: str) -> tuple[list[Record], list[Record]]:
    """The other authors' records on topics that the held-out author never writes about, and that author's records."""
    held = [record for record in records if record.author == held_out]
    topics = {record.topic for record in held}
    return [record for record in records if record.author != held_out and record.topic not in topics], held


def check(folder: Path) -> Report:
    utterances, bad_utterances = _parse(folder, "utterances", Utterance, _utterance_problems)
    pairs, bad_pairs = _parse(folder, "pairs", Pair, _pair_problems)
    return Report(
        utterances=len(utterances),
        pairs=len(pairs),
        counts=_utterance_counts(utterances) | _pair_counts(pairs),
        near_duplicates=(*_near_duplicates(utterances), *_near_duplicates(pairs)),
        frames=(*_frames(utterances), *_frames(pairs)),
        problems=tuple(bad_utterances + bad_pairs),
    )


def _strictly(parsed: tuple[list[Record], list[Problem]]) -> list[Record]:
    records, problems = parsed
    if problems:
        raise BadTrainingData(problems)
    return records


def _parse(
    path: Path, name: str, kind: type[Record], rules: Callable[[Record], Iterator[str]]
) -> tuple[list[Record], list[Problem]]:
    records: list[Record] = []
    problems: list[Problem] = []
    seen: dict[str, Line] = {}
    for where, read, problem in decoded(sorted(path.rglob(f"{name}*.jsonl")) if path.is_dir() else [path], kind):
        if read is None:
            problems.append(Problem(*where, problem))
            continue
        record: Record = read
        records.append(record)
        found = [*_common_problems(record), *rules(record)]
        for key in (f"id {record.id}", f"text {_normalized(record.content)}"):
            if first := seen.get(key):
                found.append(f"same {key.partition(' ')[0]} as {first}")
            seen.setdefault(key, where)
        problems += [Problem(*where, what) for what in found]
    return records, problems


def _common_problems(record: Utterance | Pair) -> Iterator[str]:
    letter = "u" if isinstance(record, Utterance) else "p"
    if not re.fullmatch(rf"{re.escape(record.author)}-{letter}-\d{{4}}", record.id):
        yield f"id should be {record.author}-{letter}- and four digits"
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", record.topic):
        yield "topic should be plain words with hyphens"


def _utterance_problems(record: Utterance) -> Iterator[str]:
    label = record.label
    yield from _length_problems(record.text, 80)
    if label.speech_act in ("hypothetical", "past") and label.has_claim:
        yield f"{label.speech_act} claims nothing of today"
    if label.speech_act == "temporary" and not label.has_claim:
        yield "temporary is an exception that is claimed"
    if not label.has_claim:
        if any(getattr(label, name) is not None for name in _OF_CLAIMS):
            yield "without a claim the other labels are null"
        return
    if record.origin != "user" and label.speech_act != "quoted":
        yield f"a claim in {record.origin} is quoted"
    if label.claim is None or label.scope is None or label.timescale is None or label.direction is None:
        yield "a claim needs claim, scope, timescale and direction"
    if label.claim is not None and not re.fullmatch(r"(?!User\b)[^\Wa-z].*[^.\s]", label.claim):
        yield 'claim: a capital first, no full stop, no "User"'
    if not label.claim_span or label.claim_span not in record.text:
        yield "claim_span is not in the text"
    if (label.scope == GLOBAL) != (label.scope_span is None):
        yield "scope is global if and only if scope_span is null"
    if label.scope_span is not None and (not label.scope_span or label.scope_span not in record.text):
        yield "scope_span is not in the text"
    yield from _slot_problems(label.slot)


def _pair_problems(record: Pair) -> Iterator[str]:
    yield from _length_problems(record.older.text, 40)
    yield from _length_problems(record.newer.text, 40)
    if record.older.at >= record.newer.at:
        yield "older is not before newer"
    if record.nli not in NLI_OF[record.relation]:
        yield f"{record.relation} is never {record.nli}"
    if record.implicit and record.relation != "supersedes":
        yield "only supersedes can be implicit"
    if record.relation == "supersedes" and not record.implicit and record.nli != "contradiction":
        yield "an explicit supersedes is a contradiction"
    if record.relation == "unrelated" and record.old_slot is not None and record.old_slot == record.new_slot:
        yield "two statements of one slot are not unrelated"
    yield from _slot_problems(record.old_slot)
    yield from _slot_problems(record.new_slot)


def _length_problems(text: str, longest: int) -> Iterator[str]:
    if not 2 <= (words := len(text.split())) <= longest:
        yield f"{words} words, should be 2 to {longest}"


def _slot_problems(slot: str | None) -> Iterator[str]:
    if slot is not None and slot not in state_schema.load():
        yield f"no slot {slot!r} in the state schema"


def _normalized(text: str) -> str:
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:'[^\W_]+)*", text.casefold().replace("’", "'"))


def _utterance_counts(records: Sequence[Utterance]) -> dict[str, Counter[str]]:
    claims = [record.label for record in records if record.label.has_claim]
    return {
        "utterances: author": Counter(record.author for record in records),
        "utterances: has_claim": Counter(str(record.label.has_claim).lower() for record in records),
        "utterances: origin": Counter(record.origin for record in records),
        "utterances: speech_act": Counter(record.label.speech_act for record in records),
        "claims: speech_act": Counter(label.speech_act for label in claims),
        "claims: scope": Counter(GLOBAL if label.scope == GLOBAL else "narrow" for label in claims),
        "claims: timescale": Counter(str(label.timescale) for label in claims),
        "claims: direction": Counter(str(label.direction) for label in claims),
        "claims: domain": Counter(_domain(label.slot) for label in claims),
        "claims: slot": Counter(str(label.slot) for label in claims),
    }


def _pair_counts(records: Sequence[Pair]) -> dict[str, Counter[str]]:
    implicit = [record for record in records if record.implicit]
    superseding = [record for record in records if record.relation == "supersedes"]
    return {
        "pairs: author": Counter(record.author for record in records),
        "pairs: relation": Counter(record.relation for record in records),
        "pairs: nli": Counter(record.nli for record in records),
        "pairs: supersedes": Counter("implicit" if record.implicit else "explicit" for record in superseding),
        "pairs: implicit through": Counter(map(_way, implicit)),
        "pairs: domain of older": Counter(_domain(record.old_slot) for record in records),
    }


def _domain(slot: str | None) -> str:
    return slot.partition(".")[0] if slot else "none"


def _way(record: Pair) -> str:
    if record.old_slot is None or record.new_slot is None:
        return "no slot"
    if record.old_slot == record.new_slot:
        return "the same slot"
    edges = state_schema.load().dependents(record.new_slot)
    return "a dependency" if any(edge.target == record.old_slot for edge in edges) else "another slot"


def _near_duplicates(records: Sequence[Utterance] | Sequence[Pair]) -> list[tuple[str, str]]:
    """(earlier id, later id), by MinHash and then exactly."""
    from datasketch import MinHash, MinHashLSH

    grams = [_grams(record.content) for record in records]
    index = MinHashLSH(threshold=NEAR - 0.1, num_perm=64)
    found = []
    for at, sketch in enumerate(MinHash.generator([[gram.encode() for gram in each] for each in grams], num_perm=64)):
        for other in sorted(index.query(sketch)):
            if len(grams[at] & grams[other]) >= NEAR * len(grams[at] | grams[other]):
                found.append((records[other].id, records[at].id))
        index.insert(at, sketch)
    return found


def _grams(text: str) -> set[str]:
    text = f" {_normalized(text)} "
    return {text[start : start + GRAM] for start in range(max(1, len(text) - GRAM + 1))}


def _frames(records: Sequence[Utterance] | Sequence[Pair]) -> list[tuple[str, str, int]]:
    """Phrases, longest first, then skeletons, of which an author has made more than `FRAME_USES` lines."""
    frames: list[tuple[str, str, int]] = []
    by_author: dict[str, list[list[str]]] = defaultdict(list)
    for record in records:
        by_author[record.author].append(_words(record.content))
    for author, texts in by_author.items():
        phrases: list[str] = []
        for size in reversed(PHRASE_WORDS):
            for phrase, uses in _worn(_phrases(words, size) for words in texts):
                if not any(phrase in longer for longer in phrases):
                    phrases.append(phrase)
                    frames.append((author, phrase, uses))
        frames += [(author, skeleton, uses) for skeleton, uses in _worn(map(_skeletons, texts))]
    return frames


def _worn(lines: Iterable[set[str]]) -> list[tuple[str, int]]:
    counts = Counter(frame for line in lines for frame in line)
    return [(frame, uses) for frame, uses in counts.most_common() if uses > FRAME_USES]


def _phrases(words: Sequence[str], size: int) -> set[str]:
    return {" ".join(words[start : start + size]) for start in range(len(words) - size + 1)}


def _skeletons(words: Sequence[str]) -> set[str]:
    """The line with its content words taken out; nothing if too little is left to call it a frame."""
    kept = [word if word in _FUNCTION_WORDS else "…" for word in words]
    if sum(word != "…" for word in kept) < 4:
        return set()
    return {re.sub(r"…(?: …)+", "…", " ".join(kept))}


def _print(report: Report, shown: int = 40) -> None:
    print(f"{report.utterances} utterances, {report.pairs} pairs")
    for title, counter in report.counts.items():
        total = max(1, counter.total())
        print(f"\n{title}\n  " + ", ".join(f"{value} {n} ({n / total:.1%})" for value, n in counter.most_common()))
    unused = [slot.id for slot in state_schema.load().slots if not report.counts["claims: slot"][slot.id]]
    print(f"\nslots without a claim: {len(unused)}\n  {', '.join(unused)}")
    print(f"\nnear-duplicates: {len(report.near_duplicates)} ({report.near_duplicate_rate:.2%} of the lines)")
    print("".join(f"  {earlier} ~ {later}\n" for earlier, later in report.near_duplicates[:shown]), end="")
    print(f"\nframes of more than {FRAME_USES} lines: {len(report.frames)}")
    print("".join(f"  {author} {uses} × {frame}\n" for author, frame, uses in report.frames[:shown]), end="")
    print(f"\nproblems: {len(report.problems)}")
    print("".join(f"  {problem}\n" for problem in report.problems), end="")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="memreview.evaluate.training_data")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args(arguments).folder
    if not folder.is_dir():
        parser.error(f"{folder} is not a folder")
    report = check(folder)
    _print(report)
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
