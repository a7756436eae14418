"""Empty databases with the newest schema, copied because running all migrations takes long."""

import tempfile
from functools import cache
from pathlib import Path

from quartet.kernel.db import History, encrypt_stored_secrets, migrate, open_database


def put_empty_database(data: Path, history: History) -> None:
    """Create an empty database file unless one exists."""
    path = data / f"{history.service}.sqlite3"
    if not path.exists():
        data.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_empty(history))


@cache
def _empty(history: History) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        db = open_database(Path(folder), history.service)
        encrypt_stored_secrets(db, history, migrate(db, history))
        db.close()
        return Path(folder, f"{history.service}.sqlite3").read_bytes()
