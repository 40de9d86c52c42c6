"""Relations of a graph, which a person sees and corrects as one line: "from – type – to"."""

from __future__ import annotations

from collections.abc import Sequence

from memreview.exporters.contract import plain
from memreview.exporters.splice import Piece, piece, with_members

UNIT = "\x1f"  # parts the pieces of the ids that the importers make
DASH = " – "


def relation_id(relation: Piece, keys: Sequence[str]) -> str:
    """The id that the importers make; `keys` are those of from, type and to."""
    return UNIT.join(plain(relation.value[key]) for key in keys)


def reworded(relation: Piece, keys: Sequence[str], text: str) -> Piece | None:
    """The relation with the parts that `text` changes; None where it is no longer of three parts."""
    parts = [part.strip() for part in text.split(DASH)]
    if len(parts) != len(keys) or not all(parts):
        return None
    old = [plain(relation.value[key]) for key in keys]
    underscored = "_" in "".join(old) and " " not in "".join(old)  # the names stand for spaces with underscores
    changed = {
        key: piece(part.replace(" ", "_") if underscored else part)
        for key, was, part in zip(keys, old, parts, strict=True)
        if part != was.replace("_", " ").strip()
    }
    return with_members(relation, changed)
