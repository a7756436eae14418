"""The database of a service: SQLite in its data folder, or PostgreSQL by URL.

`await db.read(fn)` and `await db.write(fn)` run one synchronous unit of work in a thread, in one
transaction. Events emitted during a write are published after the commit.
"""

from quartet.kernel.db.columns import (
    BigInt,
    Bytes,
    Flag,
    Json,
    Real,
    Text,
    postgresql_index,
    strict_table,
)
from quartet.kernel.db.copy import CopyError, copy_database, copy_rows
from quartet.kernel.db.database import Database, DatabaseFull, Tx
from quartet.kernel.db.migrate import History, NewerSchema, copy_sqlite, migrate, schema_version
from quartet.kernel.db.open import NoDatabase, open_database, open_existing
from quartet.kernel.db.secrets import (
    JsonWithSecret,
    Secret,
    SecretBytes,
    SecretJson,
    encrypt_stored_secrets,
    is_locked,
)

__all__ = [
    "BigInt",
    "Bytes",
    "CopyError",
    "Database",
    "DatabaseFull",
    "Flag",
    "History",
    "Json",
    "JsonWithSecret",
    "NewerSchema",
    "NoDatabase",
    "Real",
    "Secret",
    "SecretBytes",
    "SecretJson",
    "Text",
    "Tx",
    "copy_database",
    "copy_rows",
    "copy_sqlite",
    "encrypt_stored_secrets",
    "is_locked",
    "migrate",
    "open_database",
    "open_existing",
    "postgresql_index",
    "schema_version",
    "strict_table",
]
