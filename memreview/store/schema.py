"""The database's shape: forward-only numbered migrations, each committed together with the note that it ran.

A row of an import counts only while that import's state is 'done': `live_entries` and `live_memories` are what the
rest of the program reads. So a running, stopped or undone import shows nothing, and undoing one of two million rows
is the change of one.
"""

from __future__ import annotations

import sqlite_utils
from sqlite_utils.migrations import Migrations

migrations = Migrations("memreview")

# AUTOINCREMENT where a rowid is remembered outside the table (keyword index, FAISS, journal): it is never used twice.

# Statements run one by one: executescript() would commit the transaction that the migration runs in.
_INITIAL = (
    """CREATE TABLE sources (
        id INTEGER PRIMARY KEY, provider TEXT NOT NULL, account TEXT NOT NULL, label TEXT NOT NULL,
        UNIQUE (provider, account)) STRICT""",
    """CREATE TABLE imports (
        id INTEGER PRIMARY KEY, source_id INTEGER NOT NULL REFERENCES sources, file_name TEXT NOT NULL,
        format TEXT NOT NULL, fingerprint TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('running', 'stopped', 'done', 'undone', 'discarded')),
        exported_at INTEGER, started_at INTEGER NOT NULL, finished_at INTEGER,
        cursor TEXT, report TEXT NOT NULL DEFAULT '{}') STRICT""",
    """CREATE TABLE originals (
        import_id INTEGER NOT NULL REFERENCES imports, name TEXT NOT NULL, body BLOB NOT NULL,
        PRIMARY KEY (import_id, name)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE conversations (
        id INTEGER PRIMARY KEY, source_id INTEGER NOT NULL REFERENCES sources, native_id TEXT NOT NULL,
        title TEXT NOT NULL, project TEXT NOT NULL DEFAULT '', created_at INTEGER, updated_at INTEGER,
        extra TEXT NOT NULL DEFAULT '{}', UNIQUE (source_id, native_id)) STRICT""",
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id INTEGER NOT NULL REFERENCES conversations,
        import_id INTEGER NOT NULL REFERENCES imports, native_id TEXT NOT NULL, parent_id TEXT,
        position INTEGER NOT NULL, origin TEXT NOT NULL CHECK (origin IN
            ('user', 'assistant', 'tool_output', 'retrieved_document', 'shared_file')),
        kind TEXT NOT NULL, actor TEXT NOT NULL, url TEXT NOT NULL,
        at INTEGER, at_offset INTEGER, at_assumed INTEGER NOT NULL,
        active INTEGER NOT NULL, hidden INTEGER NOT NULL, text TEXT NOT NULL, digest BLOB NOT NULL,
        replaced_by INTEGER REFERENCES entries,
        UNIQUE (conversation_id, native_id, digest)) STRICT""",
    "CREATE INDEX entries_by_position ON entries (conversation_id, position)",
    "CREATE INDEX entries_by_import ON entries (import_id)",
    "CREATE INDEX entries_own ON entries (id) WHERE origin = 'user' AND kind = 'message'",
    "CREATE INDEX entries_by_replacement ON entries (replaced_by) WHERE replaced_by IS NOT NULL",
    """CREATE TABLE memories (
        id INTEGER PRIMARY KEY AUTOINCREMENT, source_id INTEGER NOT NULL REFERENCES sources,
        import_id INTEGER NOT NULL REFERENCES imports, native_id TEXT NOT NULL, kind TEXT NOT NULL,
        text TEXT NOT NULL, imported_text TEXT NOT NULL, meaning TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'quarantined', 'evicted', 'deleted')),
        native_state TEXT NOT NULL, superseded_by INTEGER REFERENCES memories,
        stayed_deleted INTEGER NOT NULL DEFAULT 0,
        slot TEXT NOT NULL DEFAULT '', subject TEXT NOT NULL, scope TEXT NOT NULL, valid_until INTEGER,
        categories TEXT NOT NULL DEFAULT '[]',
        created_at INTEGER, created_offset INTEGER, updated_at INTEGER, updated_offset INTEGER,
        added INTEGER NOT NULL DEFAULT 0, raw TEXT NOT NULL DEFAULT '{}',
        UNIQUE (source_id, native_id)) STRICT""",
    "CREATE INDEX memories_by_meaning ON memories (meaning)",
    "CREATE INDEX memories_by_time ON memories (created_at, id)",
    "CREATE INDEX memories_by_import ON memories (import_id)",
    """CREATE TABLE memory_evidence (
        id INTEGER PRIMARY KEY, memory_id INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
        entry_id INTEGER NOT NULL REFERENCES entries, rank INTEGER NOT NULL, UNIQUE (memory_id, entry_id)) STRICT""",
    "CREATE INDEX evidence_by_entry ON memory_evidence (entry_id)",
    """CREATE TABLE memory_versions (
        id INTEGER PRIMARY KEY, memory_id INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
        import_id INTEGER NOT NULL REFERENCES imports, event TEXT NOT NULL,
        old_text TEXT NOT NULL, new_text TEXT NOT NULL, at INTEGER) STRICT""",
    "CREATE INDEX versions_by_memory ON memory_versions (memory_id)",
    """CREATE TABLE staged (
        import_id INTEGER NOT NULL REFERENCES imports, seq INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (import_id, seq)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE transitions (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL,
        old_memory_id INTEGER NOT NULL REFERENCES memories, new_memory_id INTEGER REFERENCES memories,
        slot TEXT NOT NULL, confidence REAL NOT NULL, harm REAL NOT NULL, authorization TEXT NOT NULL,
        snoozed_until INTEGER, created_at INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (key, old_memory_id)) STRICT""",
    "CREATE INDEX transitions_by_status ON transitions (status)",
    "CREATE INDEX transitions_by_old ON transitions (old_memory_id)",
    "CREATE INDEX transitions_by_new ON transitions (new_memory_id)",
    """CREATE TABLE tombstones (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('memory', 'transition')), meaning TEXT NOT NULL,
        slot TEXT NOT NULL, scope TEXT NOT NULL, text TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT""",
    "CREATE INDEX tombstones_by_meaning ON tombstones (kind, meaning)",
    """CREATE TABLE journal (
        id INTEGER PRIMARY KEY, at INTEGER NOT NULL, actor TEXT NOT NULL CHECK (actor IN ('person', 'program')),
        verb TEXT NOT NULL, detail TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('done', 'undone', 'dropped')),
        undone_as INTEGER)
        STRICT""",
    """CREATE TABLE journal_changes (
        journal_id INTEGER NOT NULL REFERENCES journal, seq INTEGER NOT NULL, tbl TEXT NOT NULL,
        row_id INTEGER NOT NULL, before TEXT, after TEXT, PRIMARY KEY (journal_id, seq)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX journal_changes_by_row ON journal_changes (tbl, row_id)",
    """CREATE TABLE windows (
        id INTEGER PRIMARY KEY AUTOINCREMENT, entry_id INTEGER REFERENCES entries,
        memory_id INTEGER REFERENCES memories ON DELETE CASCADE,
        start INTEGER NOT NULL, end INTEGER NOT NULL, digest BLOB NOT NULL,
        CHECK ((entry_id IS NULL) <> (memory_id IS NULL))) STRICT""",
    "CREATE INDEX windows_by_entry ON windows (entry_id) WHERE entry_id IS NOT NULL",
    "CREATE INDEX windows_by_memory ON windows (memory_id) WHERE memory_id IS NOT NULL",
    """CREATE TABLE vectors (
        digest BLOB NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL,
        PRIMARY KEY (digest, model)) STRICT, WITHOUT ROWID""",
    "CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE saved_filters (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, query TEXT NOT NULL) STRICT""",
    """CREATE VIEW live_entries AS SELECT e.* FROM entries e JOIN imports i ON i.id = e.import_id
        WHERE i.state = 'done' AND e.replaced_by IS NULL""",
    """CREATE VIEW live_memories AS SELECT m.* FROM memories m JOIN imports i ON i.id = m.import_id
        WHERE i.state = 'done'""",
    """CREATE VIRTUAL TABLE entries_fts USING fts5 (
        text, content='entries', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2')""",
    """CREATE VIRTUAL TABLE memories_fts USING fts5 (
        text, content='memories', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2', prefix='2 3')""",
    # Memories are few and change one by one, so triggers keep their index; entries come by the million and are
    # indexed after an import, in batches (store/keywords.py).
    """CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN
        INSERT INTO memories_fts (rowid, text) VALUES (new.id, new.text); END""",
    """CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN
        INSERT INTO memories_fts (memories_fts, rowid, text) VALUES ('delete', old.id, old.text); END""",
    """CREATE TRIGGER memories_fts_update AFTER UPDATE OF text ON memories BEGIN
        INSERT INTO memories_fts (memories_fts, rowid, text) VALUES ('delete', old.id, old.text);
        INSERT INTO memories_fts (rowid, text) VALUES (new.id, new.text); END""",
)


# Nodes, edges and questions are journaled row by row. What only grows (gated, gate_runs, gate_decisions, ledger_log)
# belongs to a step of the journal instead and counts while that step stands, so that undoing thousands costs nothing.
_GATE = (
    """CREATE TABLE nodes (
        id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, claim TEXT NOT NULL,
        layer TEXT NOT NULL CHECK (layer IN ('stable', 'contextual', 'transient')), scope TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'quarantined', 'evicted', 'deleted')),
        written_at INTEGER NOT NULL, corroborated_at INTEGER NOT NULL, confidence REAL NOT NULL, slot TEXT,
        origins TEXT NOT NULL, events TEXT NOT NULL, corroborations INTEGER NOT NULL, revised_at INTEGER,
        influence REAL NOT NULL, decided INTEGER NOT NULL DEFAULT 0,
        question_id INTEGER REFERENCES questions) STRICT""",
    "CREATE INDEX nodes_by_status ON nodes (status)",
    "CREATE INDEX nodes_by_question ON nodes (question_id) WHERE question_id IS NOT NULL",
    """CREATE TABLE edges (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, source INTEGER NOT NULL REFERENCES nodes,
        target INTEGER NOT NULL REFERENCES nodes, at INTEGER NOT NULL, probability REAL NOT NULL,
        sessions TEXT NOT NULL, UNIQUE (kind, source, target)) STRICT""",
    "CREATE INDEX edges_by_source ON edges (source)",
    "CREATE INDEX edges_by_target ON edges (target)",
    """CREATE TABLE node_memories (
        id INTEGER PRIMARY KEY, node_id INTEGER NOT NULL REFERENCES nodes,
        memory_id INTEGER NOT NULL REFERENCES memories,
        UNIQUE (memory_id, node_id)) STRICT""",
    "CREATE INDEX node_memories_by_node ON node_memories (node_id)",
    """CREATE TABLE questions (
        id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('open', 'answered', 'lapsed')), answer TEXT NOT NULL DEFAULT '',
        target TEXT, session TEXT NOT NULL, asked_at INTEGER NOT NULL, snoozed_until INTEGER) STRICT""",
    """CREATE TABLE blocked_sources (
        id INTEGER PRIMARY KEY, origin TEXT NOT NULL, name TEXT NOT NULL, created_at INTEGER NOT NULL,
        UNIQUE (origin, name)) STRICT""",
    """CREATE TABLE gate_runs (
        journal_id INTEGER PRIMARY KEY REFERENCES journal, model TEXT NOT NULL, state BLOB NOT NULL, at INTEGER,
        events INTEGER NOT NULL, asked INTEGER NOT NULL) STRICT""",
    """CREATE TABLE gated (
        key TEXT NOT NULL, journal_id INTEGER NOT NULL REFERENCES journal,
        PRIMARY KEY (key, journal_id)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE gate_decisions (
        id INTEGER PRIMARY KEY, journal_id INTEGER NOT NULL REFERENCES journal, key TEXT NOT NULL, at INTEGER NOT NULL,
        action TEXT NOT NULL, target TEXT, body TEXT NOT NULL) STRICT""",
    "CREATE INDEX gate_decisions_by_key ON gate_decisions (key)",
    """CREATE TABLE ledger_log (
        id INTEGER PRIMARY KEY, journal_id INTEGER NOT NULL REFERENCES journal, node TEXT NOT NULL, at INTEGER NOT NULL,
        why TEXT NOT NULL, event TEXT NOT NULL, body TEXT NOT NULL) STRICT""",
    "CREATE INDEX ledger_log_by_node ON ledger_log (node)",
)


@migrations()
def m0001_initial(db: sqlite_utils.Database) -> None:
    for statement in _INITIAL:
        db.execute(statement)
    db.execute("PRAGMA user_version = 1")


@migrations()
def m0002_readings(db: sqlite_utils.Database) -> None:
    """What the claim encoder reads in a text: like `vectors` a cache by text and model; '' where nothing is claimed."""
    db.execute(
        """CREATE TABLE readings (
            digest BLOB NOT NULL, model TEXT NOT NULL, body TEXT NOT NULL,
            PRIMARY KEY (digest, model)) STRICT, WITHOUT ROWID"""
    )
    db.execute("PRAGMA user_version = 2")


@migrations()
def m0003_gate(db: sqlite_utils.Database) -> None:
    for statement in _GATE:
        db.execute(statement)
    db.execute("PRAGMA user_version = 3")
