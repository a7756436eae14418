from pathlib import Path

import pytest

from quartet.kernel.db import migrate, open_database
from quartet.media.app import SERVICE
from quartet.media.moves import store
from quartet.media.moves.journal import Journal
from quartet.media.moves.tables import operations
from quartet.media.moves.types import Operation


def operation(run: str, name: str) -> Operation:
    return Operation(
        run=run,
        action="move",
        source=f"/a/{name}",
        target=f"/b/{name}",
        size=1,
        mtime_ns=2,
        inode=3,
    )


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_journal_rows_know_their_ids_and_keep_the_results(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres_url") if kind == "postgresql" else None
    db = open_database(tmp_path, "media", url)
    migrate(db, SERVICE.history)
    journal = Journal(db)
    journal.record_intents([operation("other", "0.mkv")])
    rows = [operation(run, f"{number}.mkv") for number in range(300) for run in ("one", "two")]
    journal.record_intents(rows[:400])
    journal.record_intents(rows[400:])
    for row in rows:
        row.state, row.created_folders = "done", [f"/b/{row.source}"]
        journal.record_result(row)
    journal.flush()

    def stored(run: str) -> list[Operation]:
        with db.engine.connect() as conn:
            return store.find(conn, operations.c.run == run)

    for run in ("one", "two"):
        assert stored(run) == [row for row in rows if row.run == run]
    assert [row.state for row in stored("other")] == ["intended"]
    db.close()
