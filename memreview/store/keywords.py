"""Keyword search: FTS5 with BM25 over entries and memories.

Entries are indexed after an import, in batches behind a watermark that commits with them, so a killed run goes on
where it was. The person's words are always quoted: nothing that they type is FTS5 syntax.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from memreview.store.database import Database

Progress = Callable[[int, int], None]
BATCH = 5_000
ANY_OF = 3
_WATERMARK = "entries_fts_upto"
_WORD = re.compile(r"\w+")
# Words in most texts: they rank nothing and make a query of three ORed words five times slower.
_COMMON = frozenset(
    """a an and are as at be but by do for from had has have he her his i if in is it me my no not of on or she so that
    the their them they this to was we were what when where which who will with you your""".split()
)


def index_entries(database: Database, progress: Progress | None = None) -> int:
    """Bring the entries' keyword index up to date; returns how many rows were added. `progress` may raise to stop."""
    upto = int(database.state(_WATERMARK, "0"))
    last = int(database.value("SELECT coalesce(max(id), 0) FROM entries"))
    start, added = upto, 0
    while upto < last:
        end = min(upto + BATCH, last)
        with database.transaction():
            cursor = database.execute(
                "INSERT INTO entries_fts (rowid, text) SELECT id, text FROM entries WHERE id > ? AND id <= ?",
                (upto, end),
            )
            database.set_state(_WATERMARK, str(end))
        added += max(cursor.rowcount, 0)
        upto = end
        if progress:
            progress(upto - start, last - start)
    return added


def forget(database: Database, import_id: int) -> None:
    """Take an import's entries out of the index; call it before their rows go."""
    database.execute(
        """INSERT INTO entries_fts (entries_fts, rowid, text)
           SELECT 'delete', id, text FROM entries WHERE import_id = ? AND id <= ?""",
        (import_id, int(database.state(_WATERMARK, "0"))),
    )


def search(
    database: Database,
    words: str,
    what: Literal["entries", "memories"],
    *,
    limit: int = 50,
    prefix: bool = True,
) -> list[tuple[int, float]]:
    """(row id, BM25 score, larger is better), best first. All words first; where nothing has them all, any of the
    longest few, which are the rarest as a rule: scoring what half of all texts share takes long and finds nothing.

    `prefix`: the last word may be unfinished, as while typing.
    """
    terms = query_terms(words, prefix=prefix)
    if not terms:
        return []
    rarest = sorted(terms, key=len, reverse=True)[:ANY_OF]
    for joined in (" ".join(terms), " OR ".join(rarest)):
        # Ranked inside FTS5 first and joined after: joining first makes it score in SQL, ten times slower.
        rows = database.all(
            f"""SELECT f.rowid AS id, -f.rank AS score
                FROM (SELECT rowid, rank FROM {what}_fts WHERE {what}_fts MATCH ? ORDER BY rank LIMIT ?) f
                WHERE EXISTS (SELECT 1 FROM live_{what} live WHERE live.id = f.rowid) ORDER BY f.rank LIMIT ?""",
            (joined, 4 * limit, limit),
        )
        if rows or len(terms) == 1:
            return [(row["id"], row["score"]) for row in rows]
    return []


def query_terms(words: str, *, prefix: bool) -> list[str]:
    """The person's words as quoted FTS5 strings; common words only where there are no others."""
    found = _WORD.findall(words)[:32]
    kept = [word for word in found if word.casefold() not in _COMMON] or found
    terms = [f'"{word}"' for word in kept]
    if prefix and terms and kept[-1] == found[-1] and not words[-1:].isspace():
        terms[-1] += "*"
    return terms
