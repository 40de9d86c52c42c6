"""Where a claim comes from, in words for the person."""

from __future__ import annotations

from sqlite3 import Row
from urllib.parse import urlsplit

from memreview.records import EntryKind, Origin
from memreview.review.values import Provenance

OWN = Provenance(kind="own", words="your own message")
PASTED = Provenance(kind="pasted", words="a text that was pasted into your message")
_SUMMARY = Provenance(kind="summary", words="a summary that the assistant wrote")
_ASSISTANT = Provenance(kind="assistant", words="an answer of the assistant")
_MEMORY = Provenance(kind="memory", words="a stored memory; no conversation says it")
_KINDS = {
    Origin.RETRIEVED_DOCUMENT: ("page", "a web page"),
    Origin.SHARED_FILE: ("document", "a document"),
    Origin.TOOL_OUTPUT: ("tool", "what a tool gave back"),
}


def of_entry(entry: Row | None, *, pasted: bool) -> Provenance:
    """`pasted` where a message of the person's is not in their own words; without an entry only a memory says it."""
    if entry is None:
        return _MEMORY
    origin = Origin(entry["origin"])
    if entry["kind"] == EntryKind.SUMMARY:
        return _SUMMARY
    if origin is Origin.USER:
        return PASTED if pasted else OWN
    if origin is Origin.ASSISTANT:
        return _ASSISTANT
    kind, words = _KINDS[origin]
    name = source_of(origin, entry["actor"], entry["url"])
    return Provenance(kind=kind, words=f"{words}: {name}" if name else words, name=name, blockable=bool(name))


def source_of(origin: str, actor: str, url: str) -> str:
    """What a source that is not the person is known by: a page's host, else the file's or tool's name; "" if it has
    none."""
    if origin in (Origin.USER, Origin.ASSISTANT):
        return ""
    return (_host(url) or actor).strip()


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or "" if "://" in url else ""
    except ValueError:  # an address that isn't one
        return ""
