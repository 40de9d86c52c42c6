"""Where the files that come with the program are: beside the package in a checkout, inside it once installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_ROOT = _PACKAGE / "data" if (_PACKAGE / "data").is_dir() else _PACKAGE.parent
RESOURCES = _ROOT / "resources"
MODELS = _ROOT / "models"


def sample_files() -> list[Path]:
    """The bundled sample, in the order in which a person would import it."""
    folder = RESOURCES / "samples"
    names = ("chatgpt/chatgpt-export.zip", "claude-export.zip", "mem0.json", "mcp-memory.jsonl")
    return [folder / name for name in names]
