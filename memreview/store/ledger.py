"""The ledger's rows: nodes, edges and questions with their journal, and the gate's logs.

A node's key is `e<entry id>` or `m<memory id>`, whichever wrote it; `nodes.id` is the number that people see. Rows of
the logs belong to a step of the journal and count while it stands.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from memreview.records.entry import DAY, SESSION_GAP, Origin
from memreview.store.database import Database
from memreview.store.journal import Action, import_step

if TYPE_CHECKING:  # NumPy: the window counts what waits before it is there
    from memreview.records.gate import Node, Vector

EVENT_KINDS = ("message", "custom_instructions", "tool_result", "document", "summary")
TURN = 12
"""So many entries after a message its turn reaches at most."""
_IS_HELD = """n.status IN ('quarantined', 'evicted') AND (
    EXISTS (SELECT 1 FROM live_entries e WHERE n.key GLOB 'e*' AND e.id = CAST(substr(n.key, 2) AS INTEGER))
    OR EXISTS (SELECT 1 FROM live_memories m WHERE n.key GLOB 'm*' AND m.id = CAST(substr(n.key, 2) AS INTEGER)))"""
"""It is held back, and what it came from is still there."""
_WAITS = f"n.decided = 0 AND {_IS_HELD}"
_UNASKED = "(n.question_id IS NULL OR (SELECT status FROM questions q WHERE q.id = n.question_id) <> 'open')"
_STORED = """EXISTS (
    SELECT 1 FROM live_memories m WHERE m.id = v.memory_id AND m.status IN ('active', 'quarantined'))"""
_IS_STORED = f"EXISTS (SELECT 1 FROM node_memories v WHERE v.node_id = n.id AND {_STORED})"
_CONTRADICTS = """edges e JOIN nodes t ON t.id = e.target AND t.status = 'active'
    AND (e.kind = 'contends' OR e.kind = 'contradiction' AND e.probability >= ?1)"""
"""What the ledger set against each other, or what contradicts at least with the probability of the first parameter."""
_AGAINST = f"(SELECT count(DISTINCT t.id) FROM {_CONTRADICTS} WHERE e.source = n.id)"
_NOT_OWN = """(n.origins <> '["user"]' OR EXISTS (
    SELECT 1 FROM gate_decisions d WHERE d.key = n.key AND json_extract(d.body, '$.quoted')))"""
"""It came on another channel, or the claim encoder reads it as somebody else's words too."""
_REWORDED = """(SELECT coalesce(max(c.journal_id), 0) FROM journal_changes c
    JOIN journal r ON r.id = c.journal_id AND r.state = 'done' AND r.verb = 'import'
    WHERE c.tbl = 'memories' AND c.row_id = m.id AND json_extract(c.after, '$.text') IS NOT NULL)"""
"""The last standing step that brought a new text of a memory."""
_POSSIBLE = f"{{0}} <= coalesce(i.finished_at, {{0}}) + {365 * DAY}"
"""A time no more than a year ahead of its import `i`: a later one says nothing, and would end all that waits."""
_STANDS = "JOIN journal j ON j.id = l.journal_id AND j.state = 'done'"


class Link(msgspec.Struct, frozen=True):
    """An edge by the keys of its nodes."""

    kind: str
    source: str
    target: str
    at: int
    probability: float
    sessions: tuple[str, ...]


class Run(msgspec.Struct, frozen=True):
    """Where the gate stands after a step: its model and state, the time of the last claim, and how many events and
    questions there were."""

    model: str
    state: bytes
    at: int | None
    events: int
    asked: int


# -- reading --------------------------------------------------------------------------------------------------------


def node(row: sqlite3.Row, vector: Vector | None = None) -> Node:
    """Without a vector it can't be looked for; whoever decides about one has no need to."""
    import numpy as np

    from memreview.records.gate import Node

    return Node(
        id=row["key"],
        claim=row["claim"],
        layer=row["layer"],
        scope=row["scope"],
        status=row["status"],
        written_at=row["written_at"],
        corroborated_at=row["corroborated_at"],
        confidence=row["confidence"],
        slot=row["slot"],
        origins=tuple(map(Origin, json.loads(row["origins"]))),
        events=tuple(json.loads(row["events"])),
        corroborations=row["corroborations"],
        revised_at=row["revised_at"],
        vector=np.zeros(0, np.float32) if vector is None else vector,
        influence=row["influence"],
    )


def all_rows(database: Database) -> list[sqlite3.Row]:
    """In the order in which they were written. `gone` tells of a node that only memories say whether none of them
    still counts."""
    return database.all(
        """SELECT n.*, n.key LIKE 'm%' AND NOT EXISTS (
                SELECT 1 FROM node_memories v JOIN live_memories m ON m.id = v.memory_id
                WHERE v.node_id = n.id AND m.status IN ('active', 'quarantined')) AS gone
           FROM nodes n ORDER BY n.id"""
    )


def rows(database: Database, ids: Sequence[int]) -> dict[int, sqlite3.Row]:
    return {row["id"]: row for row in database.among("SELECT * FROM nodes WHERE id IN ($values)", ids)}


def by_key(database: Database, key: str) -> sqlite3.Row | None:
    return database.one("SELECT * FROM nodes WHERE key = ?", (key,))


def number(database: Database, key: str) -> int:
    """The number of a node that is there."""
    return int(database.value("SELECT id FROM nodes WHERE key = ?", (key,)))


def links(database: Database, key: str | None = None) -> list[Link]:
    """Edges at one node, or all, oldest first."""
    found = database.execute(
        """SELECT e.kind, s.key, t.key, e.at, e.probability, e.sessions FROM edges e
           JOIN nodes s ON s.id = e.source JOIN nodes t ON t.id = e.target
           WHERE ?1 IS NULL OR e.source = (SELECT id FROM nodes WHERE key = ?1)
              OR e.target = (SELECT id FROM nodes WHERE key = ?1) ORDER BY e.id""",
        (key,),
    )
    return [
        Link(kind, source, target, at, probability, tuple(json.loads(sessions)))
        for kind, source, target, at, probability, sessions in found
    ]


def memories_of(database: Database, ids: Sequence[int]) -> dict[int, list[int]]:
    """Live memories that say what these nodes say."""
    found: dict[int, list[int]] = {node_id: [] for node_id in ids}
    sql = """SELECT v.node_id, v.memory_id FROM node_memories v JOIN live_memories m ON m.id = v.memory_id
             WHERE v.node_id IN ($values) ORDER BY v.id"""
    for node_id, memory_id in database.among(sql, ids):
        found[node_id].append(memory_id)
    return found


def of_memory(database: Database, memory_id: int, *, waiting: bool = False) -> list[int]:
    """The nodes that a memory repeats; with `waiting` those in quarantine."""
    found = database.execute(
        """SELECT n.id FROM node_memories v JOIN nodes n ON n.id = v.node_id
           WHERE v.memory_id = ? AND (NOT ? OR n.status IN ('quarantined', 'evicted')) ORDER BY v.id""",
        (memory_id, waiting),
    )
    return [row[0] for row in found]


def undated(database: Database, keys: Iterable[str]) -> set[str]:
    """The keys of those memories that have no time of their own, or none that can be."""
    memories = [int(key[1:]) for key in keys if key.startswith("m")]
    sql = f"""SELECT m.id FROM memories m JOIN imports i ON i.id = m.import_id
              WHERE m.id IN ($values) AND ({_POSSIBLE.format("m.created_at")}) IS NOT 1"""
    return {f"m{row['id']}" for row in database.among(sql, memories)}


def last_run(database: Database) -> Run | None:
    row = database.one(
        f"""SELECT l.model, l.state, l.at, l.events, l.asked FROM gate_runs l {_STANDS}
            ORDER BY l.journal_id DESC LIMIT 1"""
    )
    return None if row is None else Run(*row)


def runs_with(database: Database, import_id: int) -> int | None:
    """The first standing step in which the gate read something that this import brought, a new text of it, or what it
    brought back."""
    found: int | None = database.value(
        f"""SELECT min(l.journal_id) FROM gated l {_STANDS} WHERE l.key IN (
              SELECT 'e' || id FROM entries WHERE import_id = ?1 UNION ALL
              SELECT 'm' || id FROM memories WHERE import_id = ?1)
            OR l.journal_id > ?2 AND l.key IN (SELECT 'm' || row_id FROM journal_changes
              WHERE journal_id = ?2 AND tbl = 'memories' AND (json_extract(after, '$.text') IS NOT NULL
                OR json_extract(after, '$.status') = 'active'))""",
        (import_id, import_step(database, import_id)),
    )
    return found


def steps_from(database: Database, journal_id: int) -> list[int]:
    """Standing steps of the gate from this one on, newest first."""
    found = database.execute(
        f"SELECT l.journal_id FROM gate_runs l {_STANDS} WHERE l.journal_id >= ? ORDER BY l.journal_id DESC",
        (journal_id,),
    )
    return [row[0] for row in found]


def unread_entries(database: Database) -> list[sqlite3.Row]:
    """Live entries that may claim something and that no standing step has read, or left out for a source that is still
    blocked: without their text, by conversation and position, and without what the assistant's own tool for
    remembering answers. `own_time` is the entry's, `time` what can be said of it: that of what precedes it in its
    conversation, else of what follows, else of the conversation. `session` counts its conversation's sittings."""
    marks = ", ".join(f"'{kind}'" for kind in EVENT_KINDS)
    return database.all(
        f"""WITH unread AS MATERIALIZED (
              SELECT e.id, e.conversation_id FROM live_entries e WHERE e.active = 1 AND e.kind IN ({marks})
                AND (e.origin <> 'tool_output' OR e.actor NOT IN (
                  SELECT actor FROM live_entries WHERE kind = 'memory_write'))
                AND NOT EXISTS (SELECT 1 FROM gated l {_STANDS} WHERE l.key = 'e' || e.id)
                AND NOT EXISTS (SELECT 1 FROM blocked_sources b JOIN gated l ON l.key = 'b' || b.id || ':' || e.id
                  {_STANDS})),
            dated AS (
              SELECT e.id, e.conversation_id, e.position, CASE WHEN {_POSSIBLE.format("e.at")} THEN e.at END AS at
              FROM live_entries e JOIN imports i ON i.id = e.import_id
              WHERE e.conversation_id IN (SELECT conversation_id FROM unread)),
            timed AS (
              SELECT e.id, e.conversation_id, e.position, e.at AS own_time,
                coalesce(e.at, max(e.at) OVER earlier, min(e.at) OVER whole, c.created_at, c.updated_at, 0) AS time
              FROM dated e JOIN conversations c ON c.id = e.conversation_id
              WINDOW whole AS (PARTITION BY e.conversation_id),
                earlier AS (PARTITION BY e.conversation_id ORDER BY e.position, e.id
                            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)),
            gaps AS (
              SELECT *, time - lag(time, 1, time) OVER (PARTITION BY conversation_id ORDER BY position, id)
                > {SESSION_GAP} AS new_session FROM timed),
            placed AS (
              SELECT *, sum(new_session) OVER (PARTITION BY conversation_id ORDER BY position, id) AS session FROM gaps)
            SELECT p.id, p.conversation_id, p.position, p.own_time, p.time, p.session
            FROM placed p WHERE p.id IN (SELECT id FROM unread)
            ORDER BY p.conversation_id, p.position, p.id"""
    )


def unread_memories(database: Database) -> list[sqlite3.Row]:
    """Live memories that count and that no standing step has read; a relation between two names claims nothing, and
    what the person had remembered is tied to its claim already."""
    return database.all(
        f"""SELECT m.id, CASE WHEN {_POSSIBLE.format("m.created_at")} THEN m.created_at END AS created_at
            FROM live_memories m JOIN imports i ON i.id = m.import_id
            WHERE m.status IN ('active', 'quarantined') AND m.kind <> 'relation'
              AND NOT EXISTS (SELECT 1 FROM node_memories v WHERE v.memory_id = m.id)
              AND NOT EXISTS (SELECT 1 FROM gated l {_STANDS} WHERE l.key = 'm' || m.id AND l.journal_id > {_REWORDED})
            ORDER BY m.id"""
    )


def reworded(database: Database, memory_id: int) -> int:
    """The last standing step that brought a new text of a memory, 0 if there is none."""
    return int(database.value(f"SELECT {_REWORDED} FROM memories m WHERE m.id = ?", (memory_id,)) or 0)


def turn(database: Database, memory_id: int) -> list[sqlite3.Row]:
    """The message that a memory is filed under and what the assistant then read before it wrote the memory: (id,
    origin, text, actor, url), nothing that the assistant said itself, or that the tool by which it remembers answered.
    """
    return database.all(
        """SELECT e.id, e.origin, e.text, e.actor, e.url FROM memory_evidence v
           JOIN memories m ON m.id = v.memory_id
           JOIN live_entries f ON f.id = v.entry_id
           JOIN live_entries e ON e.conversation_id = f.conversation_id
             AND e.position BETWEEN f.position AND f.position + ?2
           WHERE v.memory_id = ?1 AND v.rank = 0 AND e.origin <> 'assistant' AND e.active = 1
             AND coalesce(e.at, 0) <= coalesce(m.created_at, e.at, 0) AND (e.id = f.id OR e.origin <> 'user')
             AND (e.origin <> 'tool_output' OR e.actor NOT IN (
                SELECT w.actor FROM live_entries w WHERE w.conversation_id = e.conversation_id
                  AND w.kind = 'memory_write'))
           ORDER BY e.position, e.id""",
        (memory_id, TURN),
    )


def entry_of(database: Database, key: str) -> int | None:
    """The entry that a node's claim stands in: its own, or that in which a memory's claim was found."""
    return entries_of(database, [key])[key]


def entries_of(database: Database, keys: Sequence[str]) -> dict[str, int | None]:
    found = decisions(database, [key for key in keys if not key.startswith("e")])
    read = {key: json.loads(row["body"]).get("entry") for key, row in found.items()}
    return {key: int(key[1:]) if key.startswith("e") else read.get(key) for key in keys}


def decision(database: Database, key: str) -> sqlite3.Row | None:
    """What the gate decided of an entry: at, action, target, body, journal_id."""
    return database.one(
        f"SELECT l.* FROM gate_decisions l {_STANDS} WHERE l.key = ? ORDER BY l.id DESC LIMIT 1", (key,)
    )


def decisions(database: Database, keys: Sequence[str]) -> dict[str, sqlite3.Row]:
    rows = database.among(f"SELECT l.* FROM gate_decisions l {_STANDS} WHERE l.key IN ($values) ORDER BY l.id", keys)
    return {row["key"]: row for row in rows}


def log_of(database: Database, key: str) -> list[sqlite3.Row]:
    """What happened to a node, in the order in which it did."""
    return database.all(f"SELECT l.*, j.actor FROM ledger_log l {_STANDS} WHERE l.node = ? ORDER BY l.id", (key,))


def open_questions(database: Database) -> list[sqlite3.Row]:
    """Questions that nobody answered, each with the key of its first claim as `lead`."""
    return database.all(
        """SELECT q.*, (SELECT key FROM nodes n WHERE n.question_id = q.id ORDER BY n.id LIMIT 1) AS lead
           FROM questions q WHERE q.status = 'open' AND lead IS NOT NULL ORDER BY q.id"""
    )


def questions(database: Database, ids: Sequence[int]) -> dict[int, sqlite3.Row]:
    return {row["id"]: row for row in database.among("SELECT * FROM questions WHERE id IN ($values)", ids)}


def waiting(database: Database, question_id: int) -> list[sqlite3.Row]:
    """The claims that an open question is about and that still wait, oldest first."""
    return database.all(f"SELECT n.* FROM nodes n WHERE n.question_id = ? AND {_WAITS} ORDER BY n.id", (question_id,))


def question_ids(database: Database, now: int, *, include_snoozed: bool = False) -> list[int]:
    """Open questions with a claim that still waits; those about something that an assistant remembers first, then
    the newest."""
    found = database.execute(
        f"""SELECT q.id FROM questions q WHERE q.status = 'open' AND (?1 OR coalesce(q.snoozed_until, 0) <= ?2)
              AND EXISTS (SELECT 1 FROM nodes n WHERE n.question_id = q.id AND {_WAITS})
            ORDER BY EXISTS (SELECT 1 FROM nodes n JOIN node_memories v ON v.node_id = n.id
                             WHERE n.key = q.target OR n.question_id = q.id) DESC, q.asked_at DESC, q.id DESC""",
        (include_snoozed, now),
    )
    return [row[0] for row in found]


def held_back(database: Database, contradicts: float, *, evicted: bool = False) -> dict[int, bool]:
    """Claims in quarantine that no question is about, each with whether a memory repeats it: these first, then by what
    they contradict. What the person decided is left out unless `evicted`; what ran out, or only the assistant said,
    unless that or a memory repeats it; and so is what only the gate takes for another's words on the person's own
    channel: there it errs more often than not (in the sample all three times), and that waits for corroboration all the
    same."""
    found = database.execute(
        f"""WITH listed AS (
              SELECT id FROM nodes WHERE status = 'quarantined' AND (?2 OR origins <> '["assistant"]')
              UNION SELECT id FROM nodes WHERE ?2 AND status = 'evicted'
              UNION SELECT n.id FROM node_memories v JOIN nodes n ON n.id = v.node_id
                    WHERE n.status IN ('quarantined', 'evicted') AND {_STORED})
            SELECT n.id, {_IS_STORED} AS stored, {_AGAINST} AS against
            FROM listed l JOIN nodes n ON n.id = l.id
            WHERE {_IS_HELD} AND {_UNASKED} AND (?2 OR n.decided = 0 AND {_NOT_OWN})
            ORDER BY stored DESC, n.status = 'quarantined' DESC, against DESC, n.written_at DESC, n.id DESC""",
        (contradicts, evicted),
    )
    return {row["id"]: bool(row["stored"]) for row in found}


def contradicted(database: Database, node_id: int, contradicts: float) -> dict[int, bool]:
    """The beliefs in force that a claim contradicts, the surest first, each with whether it would take their place."""
    found = database.execute(
        f"""SELECT t.id, max(e.kind = 'contends') AS contends FROM {_CONTRADICTS} WHERE e.source = ?
            GROUP BY t.id ORDER BY max(e.probability) DESC, t.id""",
        (contradicts, node_id),
    )
    return {row["id"]: bool(row["contends"]) for row in found}


def waiting_rows(database: Database, ids: Sequence[int], contradicts: float) -> dict[int, sqlite3.Row]:
    """Those of `ids` that wait in quarantine; `stored` where a memory repeats them, `against` how many beliefs they
    contradict."""
    sql = f"""SELECT n.*, {_IS_STORED} AS stored, {_AGAINST} AS against FROM nodes n
              WHERE n.id IN ($values) AND {_IS_HELD} AND {_UNASKED}"""
    return {row["id"]: row for row in database.among(sql, ids, (contradicts,))}


def counts(database: Database, now: int, contradicts: float) -> dict[str, int]:
    """questions, quarantined, and planted: of these, what an assistant remembers already."""
    held = held_back(database, contradicts)
    return {"questions": len(question_ids(database, now)), "quarantined": len(held), "planted": sum(held.values())}


def stamp(database: Database) -> tuple[int, ...]:
    """Another one after every step or undo that touched the ledger or what it is read from: then one that was read
    before is out of date."""
    row = database.one(
        """SELECT coalesce(max(id), 0), coalesce(sum(state = 'done'), 0), coalesce(max(undone_as), 0) FROM journal
           WHERE id IN (SELECT journal_id FROM journal_changes
                        WHERE tbl IN ('nodes', 'edges', 'node_memories', 'questions', 'blocked_sources', 'imports'))"""
    )
    assert row is not None
    return tuple(row)


def blocked(database: Database) -> dict[tuple[str, str], int]:
    """(origin, name) of the sources of which the person wants nothing any more, and their ids."""
    rows = database.execute("SELECT id, origin, name FROM blocked_sources")
    return {(row["origin"], row["name"]): row["id"] for row in rows}


# -- writing --------------------------------------------------------------------------------------------------------


def put_node(database: Database, act: Action, node: Node) -> int:
    """Insert or update; returns its number."""
    values: dict[str, Any] = {
        "claim": node.claim, "layer": node.layer, "scope": node.scope, "status": node.status,
        "written_at": node.written_at, "corroborated_at": node.corroborated_at, "confidence": node.confidence,
        "slot": node.slot, "origins": json.dumps(node.origins), "events": json.dumps(node.events),
        "corroborations": node.corroborations, "revised_at": node.revised_at, "influence": node.influence,
    }  # fmt: skip
    held = database.value("SELECT id FROM nodes WHERE key = ?", (node.id,))
    if held is None:
        return act.insert("nodes", key=node.id, **values)
    act.update("nodes", held, **values)
    return int(held)


def put_link(database: Database, act: Action, link: Link) -> None:
    ends = number(database, link.source), number(database, link.target)
    held = database.value("SELECT id FROM edges WHERE kind = ? AND source = ? AND target = ?", (link.kind, *ends))
    values = {"at": link.at, "probability": link.probability, "sessions": json.dumps(link.sessions)}
    if held is None:
        act.insert("edges", kind=link.kind, source=ends[0], target=ends[1], **values)
    else:
        act.update("edges", held, **values)


def log(database: Database, act: Action, lines: Iterable[tuple[str, int, str, str, dict[str, Any]]]) -> None:
    """(node key, at, why, event key, what it came to) of each change."""
    database.executemany(
        "INSERT INTO ledger_log (journal_id, node, at, why, event, body) VALUES (?, ?, ?, ?, ?, ?)",
        [(act.id, node, at, why, event, json.dumps(body)) for node, at, why, event, body in lines],
    )


def put_run(database: Database, act: Action, run: Run, read: Iterable[str]) -> None:
    """The gate's state after a step, and the keys of what it read: e and m with the number of an entry or a memory, b
    with those of a blocked source and the entry of it that was left out."""
    database.execute(
        "INSERT INTO gate_runs VALUES (?, ?, ?, ?, ?, ?)", (act.id, run.model, run.state, run.at, run.events, run.asked)
    )
    database.executemany("INSERT INTO gated VALUES (?, ?)", [(key, act.id) for key in read])


def put_decision(
    database: Database, act: Action, key: str, at: int, action: str, target: str | None, body: dict[str, Any]
) -> None:
    database.execute(
        "INSERT INTO gate_decisions (journal_id, key, at, action, target, body) VALUES (?, ?, ?, ?, ?, ?)",
        (act.id, key, at, action, target, msgspec.json.encode(body).decode()),
    )


def forget_undone(database: Database) -> None:
    """Before the gate reads again what an undo had given back: those steps can't be done again as well, nor what was
    done to the rows that they wrote, and has been undone too."""
    database.execute(
        """WITH RECURSIVE gone (id) AS (
             SELECT id FROM journal WHERE state = 'undone' AND verb = 'gate' UNION
             SELECT j.id FROM gone JOIN journal_changes first ON first.journal_id = gone.id AND first.before IS NULL
               JOIN journal_changes later ON later.tbl = first.tbl AND later.row_id = first.row_id
               JOIN journal j ON j.id = later.journal_id AND j.state = 'undone')
           UPDATE journal SET state = 'dropped' WHERE id IN gone"""
    )
