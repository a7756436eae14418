from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import MetaData, inspect

from quartet.kernel.db import History, NewerSchema, migrate, open_database, schema_version
from quartet.services import NAMES, service

STEP = """
from alembic import op
from sqlalchemy import Column
from quartet.kernel.db import BigInt, Text

revision = "{revision}"
down_revision = {before!r}

def upgrade():
    {act}
"""
FIRST = 'op.create_table("one", Column("id", BigInt, primary_key=True), sqlite_strict=True)'
SECOND = 'op.add_column("one", Column("text", Text))'
BROKEN = SECOND + '\n    raise RuntimeError("step failed")'


def history(folder: Path, schema: str, *acts: str) -> History:
    versions = folder / "versions"
    versions.mkdir(parents=True, exist_ok=True)
    for number, act in enumerate(acts, start=1):
        before = f"{number - 1:04}" if number > 1 else None
        text = STEP.format(revision=f"{number:04}", before=before, act=act)
        (versions / f"{number:04}_step.py").write_text(text)
    return History(schema, MetaData(), folder)


@pytest.mark.parametrize("name", NAMES)
def test_migrations_create_exactly_the_tables_of_the_service(
    name: str, url: str | None, tmp_path: Path, schema: str
) -> None:
    found = service(name).history
    own = History(schema, found.metadata, found.folder)
    db = open_database(tmp_path, schema, url)
    assert migrate(db, own) == len(list((own.folder / "versions").glob("0*.py")))
    with db.engine.connect() as conn:
        options = {"compare_type": db.kind == "postgresql"}
        context = MigrationContext.configure(conn, opts=options)
        assert compare_metadata(context, own.metadata) == []
    db.close()


def test_migrate_again_changes_nothing(url: str | None, schema: str, tmp_path: Path) -> None:
    db = open_database(tmp_path / "data", schema, url)
    own = history(tmp_path / "steps", schema, FIRST, SECOND)
    assert migrate(db, own) == migrate(db, own) == schema_version(db) == 2
    db.close()


def test_failed_migration_keeps_old_schema(url: str | None, schema: str, tmp_path: Path) -> None:
    db = open_database(tmp_path / "data", schema, url)
    migrate(db, history(tmp_path / "steps", schema, FIRST))
    with pytest.raises(RuntimeError, match="step failed"):
        migrate(db, history(tmp_path / "steps", schema, FIRST, BROKEN))
    assert schema_version(db) == 1
    with db.engine.connect() as conn:
        assert [column["name"] for column in inspect(conn).get_columns("one")] == ["id"]
    db.close()


def test_older_program_refuses_newer_schema(url: str | None, schema: str, tmp_path: Path) -> None:
    db = open_database(tmp_path / "data", schema, url)
    migrate(db, history(tmp_path / "new", schema, FIRST, SECOND))
    with pytest.raises(NewerSchema, match="has schema 2, this version supports up to 1"):
        migrate(db, history(tmp_path / "old", schema, FIRST))
    assert schema_version(db) == 2
    db.close()


def test_sqlite_is_copied_before_upgrade(tmp_path: Path) -> None:
    db = open_database(tmp_path / "data", "notes")
    migrate(db, history(tmp_path / "steps", "notes", FIRST))
    with db.engine.begin() as conn:
        conn.exec_driver_sql("INSERT INTO one VALUES (7)")
    migrate(db, history(tmp_path / "steps", "notes", FIRST, SECOND))
    db.close()
    copy = open_database(tmp_path / "data", "notes.schema-1")
    assert schema_version(copy) == 1
    with copy.engine.connect() as conn:
        assert conn.exec_driver_sql("SELECT id FROM one").scalar_one() == 7
    copy.close()


def test_only_latest_copies_are_kept(tmp_path: Path) -> None:
    acts = [FIRST, *(f'op.add_column("one", Column("c{n}", Text))' for n in range(5))]
    for count in range(1, 7):
        db = open_database(tmp_path / "data", "notes")
        migrate(db, history(tmp_path / "steps", "notes", *acts[:count]))
        db.close()
    copies = sorted(path.name for path in (tmp_path / "data").glob("notes.schema-*.sqlite3"))
    assert copies == [f"notes.schema-{n}.sqlite3" for n in (3, 4, 5)]
