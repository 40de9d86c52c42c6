"""Made-up exports and profiles of any size, for benches and tests. Seeded: the same call gives the same bytes."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memreview.language.sentences import normalize
from memreview.records import (
    Bundle,
    Conversation,
    Entry,
    MemoryRecord,
    Moment,
    Origin,
    Source,
    Transition,
    TransitionKind,
)
from memreview.review.profile import Profile
from memreview.store import ingest, journal, transitions, vectors, windows
from memreview.store import memories as stored

START = 1_700_000_000
_PLACES = "Porto Leeds Nairobi Lyon Quito Osaka Graz Tampere Halifax Cork Bergen Turin".split()
_THINGS = "bees sourdough chess cycling pottery sailing beekeeping choir running knitting climbing gardening".split()
_WORK = "nurse welder teacher baker pilot surveyor plumber editor midwife joiner tailor optician".split()
_FRAMES = (
    "I moved to {place} and started as a {work} with {name}, so evenings go to {thing} now.",
    "Can you help me plan a weekend of {thing} near {place} for {name}?",
    "What should a {work} such as {name} know about {thing}?",
    "Please shorten this note for {name} and the other {work}s in {place}.",
    "We tried {thing} with {name} again; it rained all day in {place}, but nobody minded.",
    "Translate the letter from {name} into French, and keep the part on {thing}.",
    "{name} asked whether the train to {place} stops before noon.",
    "Write a toast for the retirement of {name}, our oldest {work}.",
    "Which glue holds on wet slate? {name} swears by lime.",
    "Explain compound interest as one would to a {work} who hates sums.",
    "My notes on {thing} are a mess: sort them by date, please.",
    "Draft a polite refusal to {name}; the {place} trip is too expensive.",
    "The recipe says two eggs. Would yoghurt do instead, {name} is coming?",
    "Compare three tents for a windy week above {place}.",
    "How long does paint need between coats in a cold cellar?",
    "Find the mistake in this proof, {name} could not.",
    "A quiz on rivers, ten questions, easy enough for the {work}s from {place}.",
    "Summarise the minutes: {name} spoke twice, once on {thing}.",
    "Is oak or ash better for a bench that stands outside?",
    "Rewrite the advert so that a {work} from {place} would answer it.",
    "Name five songs that fit an evening of {thing} and rain.",
    "Why does the dough collapse when {name} opens the oven?",
    "Plan the revision of three subjects over twelve days, Sundays off.",
    "Could a beginner learn {thing} by June, with an hour a week?",
)
_SYLLABLES = (
    "ba be bo da di du fa fe ga go ka ki la le lo ma mi mu na ne no pa pi ra re ro sa se ta te ti vo za zu".split()
)
_FILLER = (
    "Here is a plan that keeps the mornings free and leaves room for rest. "
    "Start with the part that takes longest, and write down what you used. "
)


def chatgpt_export(path: Path, conversations: int, *, messages: int = 20, seed: int = 0) -> int:
    """Write a conversations.json of ChatGPT's shape, streaming; returns the number of messages. About 10 KB each
    conversation of 20 messages."""
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8") as stream:
        stream.write("[")
        for number in range(conversations):
            stream.write("," if number else "")
            json.dump(_conversation(rng, number, messages), stream, separators=(",", ":"))
        stream.write("]")
    return conversations * messages


def sentence(rng: random.Random) -> str:
    frame = rng.choice(_FRAMES)
    # Names give the texts the long tail of rare words that real ones have.
    name = "".join(rng.choice(_SYLLABLES) for _ in range(rng.randrange(2, 5))).capitalize()
    return frame.format(place=rng.choice(_PLACES), thing=rng.choice(_THINGS), work=rng.choice(_WORK), name=name)


def profile_of(home: Path, memories: int, *, turns: int = 0, seed: int = 0, with_vectors: bool = False) -> Profile:
    """A profile with that many memories and user turns. Its vectors are random directions: their meaning is not what
    a bench of speed measures."""
    rng = random.Random(seed)
    profile = Profile.open(home)
    _take(profile, [*_turns(rng, 0, turns), *_memories(rng, memories)], "made-up")
    windows.cover_memories(profile.database)
    if with_vectors:
        _random_vectors(profile, seed)
    return profile


def pending_cases(profile: Profile, count: int) -> None:
    """Cases in which a memory's place was overtaken, one a memory."""
    with journal.action(profile.database, "audit", "program") as act:
        found = [
            Transition(
                kind=TransitionKind.SAME_SUBJECT,
                key=f"made-up|{memory_id}",
                old_memory_id=memory_id,
                old_value=text,
                new_value=_PLACES[memory_id % len(_PLACES)],
                new_claim=f"Lives in {_PLACES[memory_id % len(_PLACES)]}",
                slot="location.city",
                confidence=0.5 + memory_id % 50 / 100,
                harm=memory_id % 10 / 10,
                reasons=("You said so with another value later.",),
            )
            for memory_id, text, _ in stored.texts(profile.database)[:count]
        ]
        act.note(**transitions.merge(profile.database, act, found, complete=True))


def more_turns(profile: Profile, turns: int, *, seed: int = 1) -> None:
    """A newer export of the same account, with that many new user turns."""
    start = int(profile.database.value("SELECT count(*) FROM entries"))
    _take(profile, list(_turns(random.Random(seed), start, start + turns)), "made-up, newer")


def conversation_of(profile: Profile, said: Sequence[tuple[Origin, str]]) -> None:
    """An export with these texts as one conversation, an hour apart."""
    entries = tuple(
        Entry(native_id=str(n), origin=origin, text=text, at=Moment((START + n * 3600) * 1_000_000, 0))
        for n, (origin, text) in enumerate(said)
    )
    bundle = Bundle(cursor="0", conversation=Conversation(native_id="0", title="Chat"), entries=entries)
    _take(profile, [bundle], "made-up conversation")


def _take(profile: Profile, bundles: list[Bundle], name: str) -> None:
    database = profile.database
    source = ingest.source_id(database, Source("chatgpt", "bench", "ChatGPT"))
    row = ingest.begin(database, source, file_name=name, format="chatgpt", fingerprint=name, exported_at=None)
    for bundle in bundles:
        row = ingest.add(database, row, [bundle])
    ingest.finish(database, row, meaning=normalize, buried=lambda records: [False] * len(records))


def _turns(rng: random.Random, first: int, last: int) -> Iterator[Bundle]:
    for start in range(first, last, 50):
        entries = tuple(
            Entry(native_id=str(n), origin=Origin.USER, text=_turn(rng), at=Moment((START + n * 3600) * 1_000_000, 0))
            for n in range(start, min(start + 50, last))
        )
        yield Bundle(cursor=str(start), conversation=Conversation(native_id=str(start), title="Chat"), entries=entries)


def _turn(rng: random.Random) -> str:
    """One to four sentences, with a number so that hardly two are equal and each has to be embedded."""
    return " ".join(f"{sentence(rng)} That was day {rng.randrange(10_000)}." for _ in range(rng.randrange(1, 3)))


def _memories(rng: random.Random, count: int) -> Iterator[Bundle]:
    for start in range(0, count, 1000):
        records = tuple(
            MemoryRecord(
                native_id=str(n),
                text=f"{sentence(rng)} ({n})",
                created=Moment((START + rng.randrange(40_000_000)) * 1_000_000, 0),
            )
            for n in range(start, min(start + 1000, count))
        )
        yield Bundle(cursor=f"m{start}", memories=records)


def _random_vectors(profile: Profile, seed: int) -> None:
    embedder = profile.embedder()
    generator = np.random.default_rng(seed)
    texts = windows.without_vector(profile.database, embedder.id)
    for start in range(0, len(texts), 10_000):
        chunk = texts[start : start + 10_000]
        made = generator.normal(size=(len(chunk), embedder.dims)).astype(np.float32)
        vectors.put(profile.database, embedder.id, chunk, made / np.linalg.norm(made, axis=1, keepdims=True))
    profile.index().refresh(profile.database)


def _conversation(rng: random.Random, number: int, messages: int) -> dict[str, Any]:
    created = START + number * 300
    root = str(uuid.UUID(int=rng.getrandbits(128)))
    mapping: dict[str, Any] = {root: {"id": root, "message": None, "parent": None, "children": []}}
    parent = root
    for turn in range(messages):
        node = str(uuid.UUID(int=rng.getrandbits(128)))
        role = "assistant" if turn % 2 else "user"
        text = _FILLER * rng.randrange(1, 6) if turn % 2 else sentence(rng)
        mapping[parent]["children"].append(node)
        mapping[node] = {
            "id": node,
            "parent": parent,
            "children": [],
            "message": {
                "id": node,
                "author": {"role": role, "name": None, "metadata": {}},
                "create_time": created + turn + rng.random(),
                "content": {"content_type": "text", "parts": [text]},
                "status": "finished_successfully",
                "weight": 1.0,
                "metadata": {},
                "recipient": "all",
            },
        }
        parent = node
    return {
        "title": f"Chat {number}",
        "create_time": created,
        "update_time": created + messages,
        "mapping": mapping,
        "current_node": parent,
        "conversation_id": root,
        "id": root,
    }
