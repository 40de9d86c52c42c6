"""Corrected memories back into a Letta agent file (`.af` v1, v2): blocks edited in place, all else as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from memreview.exporters.contract import CorrectedMemory, ExportFailed, plain, worded
from memreview.exporters.relations import UNIT
from memreview.exporters.splice import Piece, items, members, piece, rewritten, with_items, with_members
from memreview.records.blocks import memory_spans

BLOCKS = ("core_memory", "blocks")  # v1, v2


def write(original: bytes, memories: Iterable[CorrectedMemory]) -> bytes:
    """A memory that was replaced gives its place to the new one; other added memories become lines of the block about
    the person. A block that outgrows its `limit` gets a higher one, or the file could not be loaded."""
    edits = _Edits(memories)
    body = rewritten(original, lambda root: _blocks(root, edits.block))
    if edits.added:
        body = rewritten(body, lambda root: _appended(root, edits.added.values()))
    return body


class _Edits:
    """`added` shrinks as added memories find the place of the one they replace."""

    def __init__(self, memories: Iterable[CorrectedMemory]) -> None:
        touched = [memory for memory in memories if memory.touched]
        self.added = {memory.text: memory for memory in touched if memory.added and memory.stays}
        self._kept = {memory.native_id: memory for memory in touched if not memory.added}

    def block(self, label: str, value: str) -> str:
        """The block with its memories corrected; a line that loses all its memories goes with them."""
        lines = []
        for line, spans in memory_spans(plain(value)):
            texts = [self._text(label, line[start:end]) for start, end in spans]
            if not spans or any(text is not None for text in texts):
                lines.append(_rebuilt(line, spans, texts))
        block = "\n".join(lines)
        return value if block == plain(value) else block

    def _text(self, label: str, text: str) -> str | None:
        """What stands in the place of a memory: itself, its correction, or what replaced it, once."""
        memory = self._kept.get(label + UNIT + text)
        if memory is None:
            return text
        heir = memory if memory.stays else self.added.pop(memory.superseded_by_text or "", None)
        return _line(heir) if heir is not None else None


def _rebuilt(line: str, spans: list[tuple[int, int]], texts: list[str | None]) -> str:
    """The line with these texts at these places; what goes takes the space before it along."""
    if not spans:
        return line
    ends = [spans[0][0], *(end for _, end in spans)]
    gaps = [line[end:start] for end, (start, _) in zip(ends, spans, strict=False)]
    kept = [part for gap, text in zip(gaps, texts, strict=True) if text is not None for part in (gap, text)]
    return line[: ends[0]] + "".join(kept[1:]) + line[ends[-1] :]


def _line(memory: CorrectedMemory) -> str:
    return " ".join(worded(memory).split())


def _blocks(root: Piece, edit: Callable[[str, str], str]) -> Piece:
    """The file with `edit(label, value)` applied to each block, in `core_memory` (v1) or `blocks` (v2)."""
    if not isinstance(root.value, dict):
        raise ExportFailed("The imported file is no Letta agent file")
    found = {key: value for key, value in members(root).items() if key in BLOCKS}
    changed = {
        key: with_items(blocks, [_block(block, edit) for block in items(blocks)])
        for key, blocks in found.items()
        if isinstance(blocks.value, list)
    }
    if not changed:
        raise ExportFailed("The imported file is no Letta agent file")
    return with_members(root, {key: blocks for key, blocks in changed.items() if blocks.value != root.value[key]})


def _block(block: Piece, edit: Callable[[str, str], str]) -> Piece:
    if not isinstance(block.value, dict) or not isinstance(block.value.get("value"), str):
        return block
    old = block.value["value"]
    new = edit(plain(block.value.get("label") or ""), old)
    if new == old:
        return block
    limit = block.value.get("limit")
    higher = {"limit": piece(len(new))} if type(limit) is int and len(old) <= limit < len(new) else {}
    return with_members(block, {"value": piece(new), **higher})


def _values(root: Piece) -> list[dict[str, Any]]:
    blocks = [block for key in BLOCKS if isinstance(root.value.get(key), list) for block in root.value[key]]
    return [block for block in blocks if isinstance(block, dict) and isinstance(block.get("value"), str)]


def _appended(root: Piece, added: Iterable[CorrectedMemory]) -> Piece:
    home, lines = _home(root), [_line(memory) for memory in added]

    def append(label: str, value: str) -> str:
        if label != home or not lines:
            return value
        new, lines[:] = list(lines), []
        return "\n".join([*([value.rstrip()] if value.strip() else []), *new])

    return _blocks(root, append)


def _home(root: Piece) -> str:
    """The block about the person: "human", else the first that is not the agent's own."""
    labels = [plain(block.get("label") or "") for block in _values(root)]
    about = [label for label in labels if label != "persona"]
    if not about:
        raise ExportFailed("The agent file has no block about you that could hold what was added")
    return "human" if "human" in about else about[0]
