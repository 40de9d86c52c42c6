"""Every string of an import passes here once, so that nothing later meets a NUL byte or half a character."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Any

from memreview.importers.contract import Limits
from memreview.records import Note, NoteKind

_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(value: object) -> str:
    """`value` without NUL and with U+FFFD for lone surrogates; "" for anything but a string.

    Bidi controls, zero-width and private-use characters stay: the stored text is what the file said.
    """
    if not isinstance(value, str):
        return ""
    if "\0" in value:
        value = value.replace("\0", "")
    if value.isascii():
        return value
    try:
        value.encode()  # much faster than the search, and nearly every string passes
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", value)
    return value


def limit(text: str, limits: Limits, where: str = "") -> tuple[str, Note | None]:
    """Cut a text that is longer than `limits.message_chars`, with a note that says so."""
    if len(text) <= limits.message_chars:
        return text, None
    reason = f"a text of {len(text):,} characters was cut to {limits.message_chars:,}"
    return text[: limits.message_chars], Note(NoteKind.WARNING, where, reason)


def clean_all(value: Any) -> Any:
    """A JSON value with every string in it cleaned, keys too; for what is kept as the source's own record."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [clean_all(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): clean_all(item) for key, item in value.items()}
    return value


def same(text: str) -> str:
    """What two wordings of one memory share: spaces, final dots and Unicode forms don't count."""
    return unicodedata.normalize("NFC", " ".join(text.split())).rstrip(". ")


def text_id(text: str) -> str:
    """An id made of the text alone, the same in each export."""
    return "text-" + hashlib.sha256(same(text).encode()).hexdigest()[:24]
