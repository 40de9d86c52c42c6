"""What a file looks like from its first bytes, and what a module must give to read a format."""

from __future__ import annotations

import codecs
import fnmatch
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import ijson

from memreview.importers.container import Container, Member
from memreview.importers.contract import ColumnMapping, ImportFailed, Limits
from memreview.records import UNKNOWN, Bundle, Moment, Source

_HEAD = 1 << 21
_DEEPEST = 12
_LONGEST_VALUE = 200
_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w.$-]{0,39}")
_LONE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_NOT_FINITE = re.compile(rb":\s*(?:NaN|-?Infinity)")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class Shape(StrEnum):
    """What the first bytes say; LINES is JSON Lines, or several JSON values one after the other."""

    ARRAY = "array"
    OBJECT = "object"
    LINES = "lines"
    HTML = "html"
    TEXT = "text"
    SQLITE = "sqlite"
    BINARY = "binary"
    EMPTY = "empty"


@dataclass(frozen=True)
class Probe:
    """The start of one member. `seen` maps the paths of its keys to the first short value found there (else None);
    a list adds `item` to a path, as in "item.mapping.a1.message" or "results.item.hash"."""

    member: Member
    shape: Shape
    head: bytes
    seen: dict[str, object] = field(default_factory=dict)

    @property
    def json(self) -> bool:
        return self.shape in (Shape.ARRAY, Shape.OBJECT, Shape.LINES)

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the object, or those of the first elements of the list."""
        depth = 2 if self.shape is Shape.ARRAY else 1
        parts = (path.split(".") for path in self.seen)
        return frozenset(path[-1] for path in parts if len(path) == depth)

    def has(self, pattern: str) -> bool:
        """Whether a path matches, `*` standing for anything: `probe.has("item.mapping.*.message")`."""
        return pattern in self.seen or any(fnmatch.fnmatchcase(path, pattern) for path in self.seen)


class Reader(Protocol):
    """What a module of this package gives to take part in `READERS`. `sniff` claims a member by its content; `read`
    gets all that were claimed in one file or folder, and makes one Export an account or store."""

    def sniff(self, probe: Probe) -> bool: ...

    def read(
        self, container: Container, probes: Sequence[Probe], limits: Limits, mapping: ColumnMapping | None
    ) -> list[FileExport]: ...


@dataclass
class FileExport:
    """An `Export` made of a function: `stream(start)` yields the bundles after the cursor `start`."""

    source: Source
    format: str
    container: Container
    stream: Callable[[str | None], Iterator[Bundle]]
    total: int
    exported: Moment = UNKNOWN
    name: str = ""

    def __post_init__(self) -> None:
        self.name = self.name or self.container.name

    def bundles(self, start: str | None = None) -> Iterator[Bundle]:
        return self.stream(start)

    def close(self) -> None:
        self.container.close()


def probe(container: Container, member: Member) -> Probe:
    """Look at the first bytes of a member."""
    with container.open(member) as stream:
        head = stream.read(_HEAD)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head.decode("utf-16", "ignore").encode()
        if head.lstrip()[:1] in (b"{", b"["):
            raise ImportFailed(container.path, "it is encoded in UTF-16", "text in UTF-8", member.name)
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if text[:1] in (b"{", b"["):
        count, seen = _skeleton(text)
        array = Shape.ARRAY if text[:1] == b"[" else Shape.OBJECT
        return Probe(member, Shape.LINES if count > 1 else array, head, seen)
    return Probe(member, _shape(text), head)


def _shape(text: bytes) -> Shape:
    if not text:
        return Shape.EMPTY
    if text.startswith(b"SQLite format 3\0"):
        return Shape.SQLITE
    if _BINARY.search(text):
        return Shape.BINARY
    return Shape.HTML if text.startswith(b"<") else Shape.TEXT


def _skeleton(head: bytes) -> tuple[int, dict[str, object]]:
    """How many JSON values begin in `head`, and the paths of the keys, as far as it goes."""
    seen: dict[str, object] = {}
    path: list[str] = []
    count = 0
    # What the parser refuses, but the readers take or report with its place.
    head = _LONE.sub(rb"\\ufffd", _NOT_FINITE.sub(b": 0", head.decode("utf-8", "replace").encode()))
    try:
        for event, value in ijson.basic_parse(io.BytesIO(head), use_float=True, multiple_values=True):
            if event in ("start_map", "start_array"):
                count += not path
                path.append("" if event == "start_map" else "item")
                if len(path) > _DEEPEST:
                    break
            elif event in ("end_map", "end_array"):
                path.pop()
            elif event == "map_key":
                path[-1] = str(value)
                seen.setdefault(".".join(path), None)
            elif path and not (isinstance(value, str) and len(value) > _LONGEST_VALUE):
                where = ".".join(path)
                if where in seen and seen[where] is None:
                    seen[where] = value
    except (ijson.JSONError, ValueError):
        pass  # the head ends in the middle, or the file is broken, which its reader reports with the place
    return count, seen


# Products whose files are known by sight but not read yet: patterns of which all must be there, and a name.
_NOT_YET: tuple[tuple[tuple[str, ...], str], ...] = (
    (("item.mapping.*.fragments",), "DeepSeek"),
    (("item.header", "item.time", "item.products"), "Gemini (Google My Activity)"),
    (("conversation_turns",), "Gemini in Google Workspace"),
    (("chunkedPrompt",), "Google AI Studio"),
    (("item.chat.history.messages",), "Open WebUI"),
    (("chat.history.messages",), "Open WebUI"),
    (("conversationId", "messages*"), "LibreChat"),
    (("conversations.item.responses*",), "Grok"),
    (("item.chatId", "item.role"), "Mistral Le Chat"),
    (("facts*", "*.valid_at"), "Zep or Graphiti"),
    (("*.valid_at", "*.invalid_at"), "Zep or Graphiti"),
    (("memories.item.content_hash", "export_metadata"), "mcp-memory-service"),
    (("memories.item.tokenCount",), "LibreChat memories"),
    (("items.item.namespace",), "LangGraph"),
    (("entries.item.query_str",), "Perplexity"),
    (("metadata.thread_url",), "Perplexity"),
    (("item.haystack_sessions",), "the LongMemEval benchmark"),
    (("item.sample_id", "item.conversation.speaker_a"), "the LoCoMo benchmark"),
    (("item.M_old", "item.M_new"), "the STALE benchmark"),
    (("persona_info", "sessions*"), "the HaluMem benchmark"),
)
_HTML_NOT_YET = ((b"mdl-typography--title", "Gemini (Google My Activity)"),)


def not_yet(probe: Probe) -> str:
    """The product that a member comes from, where that is known but can't be read yet; else ""."""
    if probe.shape is Shape.HTML:
        return next((name for mark, name in _HTML_NOT_YET if mark in probe.head), "")
    return next((name for patterns, name in _NOT_YET if all(map(probe.has, patterns))), "")


def seen_in_words(probe: Probe) -> str:
    """What a member looks like, by its shape and keys alone: values are private, and so is any key that isn't plain."""
    if not probe.json:
        return {Shape.EMPTY: "it is empty", Shape.BINARY: "it is no text"}.get(probe.shape, f"it is {probe.shape}")
    keys = sorted(key for key in probe.keys if _PLAIN_KEY.fullmatch(key))[:8]
    kind = {Shape.ARRAY: "a JSON list", Shape.OBJECT: "a JSON object", Shape.LINES: "JSON lines"}[probe.shape]
    return f"it is {kind} with the keys {', '.join(keys)}" if keys else f"it is {kind} without keys that are known"
