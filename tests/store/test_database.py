"""Queries for any number of values: a profile may hold more memories than SQLite takes parameters."""

from __future__ import annotations

import sqlite3

from memreview.store import memories, transitions
from memreview.store.database import Database


def test_any_number_of_values_may_be_asked_for(database: Database) -> None:
    database.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
    database.execute(
        "CREATE TABLE squares AS SELECT value, value * value AS square FROM json_each(?)", (str([*range(2_500)]),)
    )
    found = database.among(
        "SELECT * FROM squares WHERE square > ? AND value IN ($values)", [*range(-9, 3_000), 3, 2_000], (8,)
    )
    assert [row["value"] for row in found] == list(range(3, 2_500))
    assert list(database.among("SELECT * FROM squares WHERE value IN ($values)", [])) == []


def test_rows_of_more_memories_and_cases_than_sqlite_takes_parameters(database: Database) -> None:
    database.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
    assert memories.rows(database, range(2_000)) == {}
    assert transitions.rows(database, range(2_000)) == {}
