"""Copying a database to another kind, with comparison of every row."""

from pathlib import Path

import pytest
from sqlalchemy import insert, update

from quartet.kernel.db import CopyError, Database, History, copy_database, open_database
from quartet.kernel.db.copy import check_rows
from quartet.services import service
from tests.kernel.db.conftest import Sample, metadata, notes
from tests.test_cli import quartet

SYNC = service("sync").history


def fill(db: Database, count: int) -> None:
    rows = [
        {"id": n * 3, "text": f"ünï {n}", "done": n % 2 == 0, "extra": {"deep": [n, None, 0.1]}}
        for n in range(count)
    ]
    with db.engine.begin() as conn:
        conn.execute(insert(notes), rows)


def test_check_rows_detects_changed_value(sample: Sample, tmp_path: Path) -> None:
    other = open_database(tmp_path / "other", "other")
    with other.engine.begin() as conn:
        metadata.create_all(conn)
    fill(sample.db, 2500)
    fill(other, 2500)
    with sample.db.engine.connect() as source, other.engine.begin() as target:
        check_rows(source, target, metadata)
        target.execute(update(notes).where(notes.c.id == 4500).values(extra={"deep": [1]}))
        with pytest.raises(CopyError, match="a row of notes differs"):
            check_rows(source, target, metadata)
        target.execute(notes.delete().where(notes.c.id == 4500))
        with pytest.raises(CopyError, match="a different number of rows"):
            check_rows(source, target, metadata)
    other.close()


def test_copy_refuses_target_with_rows(url: str | None, schema: str, tmp_path: Path) -> None:
    own = History(schema, SYNC.metadata, SYNC.folder)
    source = open_database(tmp_path / "source", schema)
    target = open_database(tmp_path / "target", schema, url)
    table = SYNC.metadata.tables["sessions"]
    row = {"token_hash": "a", "subject": "admin", "created_at": 1, "expires_at": 2**40}
    copy_database(source, target, own)
    with source.engine.begin() as conn:
        conn.execute(insert(table), [row])
    assert copy_database(source, target, own) == 1
    with pytest.raises(CopyError, match="must be empty"):
        copy_database(source, target, own)
    source.close()
    target.close()


def test_migrate_to_fails_without_source_database(postgres_url: str, tmp_path: Path) -> None:
    done = quartet(tmp_path, "migrate", "sync", "--data", "wrong", "--to", postgres_url)
    assert done.returncode == 1
    assert "does not exist" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_migrate_to_copies_once_and_prints_row_count(postgres_url: str, tmp_path: Path) -> None:
    quartet(tmp_path, "sync", "set-password", stdin_text="a long password\n")
    done = quartet(tmp_path, "migrate", "sync", "--to", postgres_url)
    assert done.returncode == 0, done.stderr
    assert "rows copied and compared" in done.stdout
    again = quartet(tmp_path, "migrate", "sync", "--to", postgres_url)
    assert again.returncode == 1 and "must be empty" in again.stderr
