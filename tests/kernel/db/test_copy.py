"""A database moves to another kind of its own, and every row is compared there."""

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


def test_equal_databases_pass_and_one_other_value_is_found(sample: Sample, tmp_path: Path) -> None:
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
        with pytest.raises(CopyError, match="another number of rows"):
            check_rows(source, target, metadata)
    other.close()


def test_what_holds_rows_is_left_alone(url: str | None, schema: str, tmp_path: Path) -> None:
    own = History(schema, SYNC.metadata, SYNC.folder)
    source = open_database(tmp_path / "source", schema)
    target = open_database(tmp_path / "target", schema, url)
    table = SYNC.metadata.tables["sessions"]
    row = {"token_hash": "a", "subject": "admin", "created_at": 1, "expires_at": 2**40}
    copy_database(source, target, own)
    with source.engine.begin() as conn:
        conn.execute(insert(table), [row])
    assert copy_database(source, target, own) == 1
    with pytest.raises(CopyError, match="empty place"):
        copy_database(source, target, own)
    source.close()
    target.close()


def test_the_command_makes_no_database_to_copy(postgres_url: str, tmp_path: Path) -> None:
    done = quartet(tmp_path, "migrate", "sync", "--data", "wrong", "--to", postgres_url)
    assert done.returncode == 1
    assert "there is no database" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_command_copies_once_and_says_how_much(postgres_url: str, tmp_path: Path) -> None:
    quartet(tmp_path, "sync", "set-password", given="a long password\n")
    done = quartet(tmp_path, "migrate", "sync", "--to", postgres_url)
    assert done.returncode == 0, done.stderr
    assert "rows copied and compared" in done.stdout
    again = quartet(tmp_path, "migrate", "sync", "--to", postgres_url)
    assert again.returncode == 1 and "empty place" in again.stderr
