"""Confirmed writes survive kill -9."""

import signal
import subprocess
import sys
from pathlib import Path

from sqlalchemy import select

from quartet.kernel.db import open_database
from tests.kernel.db.conftest import metadata, notes

WRITER = """
import sys
from pathlib import Path
from sqlalchemy import insert
from quartet.kernel.db import open_database
from tests.kernel.db.conftest import notes

db = open_database(Path(sys.argv[1]), sys.argv[2], sys.argv[3] or None)
for number in range(100_000):
    db.write_sync(lambda tx: tx.conn.execute(insert(notes).values(text=str(number), done=False)))
    print(number, flush=True)
"""


def test_confirmed_writes_survive_kill(url: str | None, schema: str, tmp_path: Path) -> None:
    db = open_database(tmp_path, schema, url)
    with db.engine.begin() as conn:
        if db.kind == "postgresql":
            conn.exec_driver_sql(f"CREATE SCHEMA {schema}")
        metadata.create_all(conn)
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path), schema, url or ""], stdout=subprocess.PIPE
    )
    assert writer.stdout
    answered = [next(writer.stdout) for _ in range(50)]
    writer.send_signal(signal.SIGKILL)
    answered += [line for line in writer.communicate()[0].splitlines(keepends=True)]
    told = {line.decode().strip() for line in answered if line.endswith(b"\n")}

    db.close()
    again = open_database(tmp_path, schema, url)
    with again.engine.connect() as conn:
        kept = set(conn.execute(select(notes.c.text)).scalars())
        if again.kind == "sqlite":
            assert conn.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"
    again.close()
    assert told <= kept
    assert len(kept) <= len(told) + 1
