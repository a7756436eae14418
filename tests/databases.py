"""Empty databases of the newest schema: most tests need one, and steps to it take time."""

import tempfile
from functools import cache
from pathlib import Path

from quartet.kernel.db import History, migrate, open_database


def put_empty_database(data: Path, history: History) -> None:
    """Where none is yet."""
    path = data / f"{history.service}.sqlite3"
    if not path.exists():
        data.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_empty(history))


@cache
def _empty(history: History) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        db = open_database(Path(folder), history.service)
        migrate(db, history)
        db.close()
        return Path(folder, f"{history.service}.sqlite3").read_bytes()
