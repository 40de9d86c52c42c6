"""What can't be carried in each format, to be listed before anything is written."""

from __future__ import annotations

_LEFT_OUT = "Superseded, deleted and quarantined memories are left out; their history stays here."
_NO_NOTES = "Reasons, decisions and where a memory comes from are left out."
_IN_WORDS = "Where and until when a memory holds is written into its text, since there is no field for it."
_NO_TIMES = "Dates are left out: the format has none."
_PASTE = (
    "The assistant is asked and may word it otherwise or refuse: look at its memory settings afterwards.",
    "Only what was decided is told; all else it remembers stays.",
    "Dates of creation, categories and history are left out.",
)

LOSSES: dict[str, tuple[str, ...]] = {
    "json": ("The conversations behind a memory are not part of the list.",),
    "csv": (
        "The conversations behind a memory are not part of the list.",
        "A cell that begins with = + - @ ' or a tab gets an apostrophe before it, so that no spreadsheet runs it.",
    ),
    "markdown": (
        "The conversations behind a memory are not part of the page.",
        "Line breaks within a memory become spaces; the page is for reading, JSON for importing it again.",
    ),
    "mem0": (
        _LEFT_OUT,
        _NO_NOTES,
        "mem0's own history and its vector index are not in this file: they change when it is loaded.",
        "A relation is rewritten only as “from – type – to”, and can't be given a scope.",
        "Where and until when a memory holds is in its metadata, which mem0 does not look at by itself.",
    ),
    "mcp": (
        _LEFT_OUT,
        _NO_NOTES,
        _IN_WORDS,
        _NO_TIMES,
        "Where and until when a relation holds is left out.",
        "Lines that could not be read are left out; the import report lists them.",
    ),
    "letta": (
        _LEFT_OUT,
        _NO_NOTES,
        _IN_WORDS,
        "Single memories of a block have no dates.",
        "Archival memory is not in an agent file; past messages of the agent stay as they are.",
    ),
    "chatgpt": _PASTE,
    "claude": (*_PASTE, "Claude keeps at most 30 edits of about 200 characters; longer ones may be shortened."),
    "gemini": _PASTE,
}


def capabilities(format: str) -> list[str]:
    """One sentence a loss, for the person. KeyError for a format that can't be written."""
    return list(LOSSES[format])
