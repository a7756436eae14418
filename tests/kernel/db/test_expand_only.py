"""Migrations only add, so that the previous version works on the new schema during an update."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect

from quartet.kernel.db import Database, History, migrate, open_database
from quartet.services import NAMES, service

# Maps service and migration to the reason why the previous version still works.
EXCEPTIONS: dict[tuple[str, str], str] = {}

Columns = dict[tuple[str, str], Any]


@pytest.mark.parametrize("name", NAMES)
def test_every_migration_keeps_previous_version_working(name: str, tmp_path: Path) -> None:
    history = service(name).history
    steps = sorted((history.folder / "versions").glob("[0-9]*.py"))
    growing = History(name, history.metadata, tmp_path / "migrations")
    (growing.folder / "versions").mkdir(parents=True)
    db = open_database(tmp_path, name)
    before: Columns = {}
    try:
        for step in steps:
            shutil.copy(step, growing.folder / "versions")
            migrate(db, growing)
            after = columns(db)
            if (name, step.stem) not in EXCEPTIONS:
                assert [*lost(before, after), *demanded(before, after)] == [], step.stem
            before = after
    finally:
        db.close()


def columns(db: Database) -> Columns:
    looking = inspect(db.engine)
    return {
        (table, column["name"]): column
        for table in looking.get_table_names()
        for column in looking.get_columns(table)
    }


def lost(before: Columns, after: Columns) -> list[str]:
    """Return what the previous version reads or writes but the new schema changed."""
    return [
        f"{table}.{name}"
        for (table, name), column in before.items()
        if (table, name) not in after or str(after[table, name]["type"]) != str(column["type"])
    ]


def demanded(before: Columns, after: Columns) -> list[str]:
    """Return columns the previous version does not fill but the new schema requires."""
    tables = {table for table, _ in before}
    return [
        f"{table}.{name}"
        for (table, name), column in after.items()
        if table in tables
        and not column["nullable"]
        and column["default"] is None
        and before.get((table, name), {"nullable": True})["nullable"]
    ]


def test_removed_and_required_columns_are_detected() -> None:
    given = {"type": "TEXT", "nullable": False, "default": None}
    free = {**given, "nullable": True}
    assert lost({("one", "name"): free}, {("one", "title"): free}) == ["one.name"]
    assert lost({("one", "name"): free}, {("one", "name"): {**free, "type": "BIGINT"}})
    assert demanded({("one", "name"): free}, {("one", "name"): given}) == ["one.name"]
    assert demanded({("one", "id"): given}, {("one", "id"): given, ("one", "name"): given})
    assert demanded({}, {("one", "name"): given}) == []
    assert demanded({("one", "id"): given}, {("one", "id"): given, ("one", "name"): free}) == []
