"""Where the files that come with the program are, from a checkout or from an installed package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
RESOURCES = _PACKAGE.parent / "resources"


def sample_files() -> list[Path]:
    """The bundled sample, in the order in which a person would import it."""
    folder = RESOURCES / "samples"
    return [
        folder / "chatgpt" / "chatgpt-export.zip",
        folder / "claude-export.zip",
        folder / "mem0.json",
        folder / "mcp-memory.jsonl",
    ]
