"""Columns that are encrypted in the database, and the encryption of rows from before that.

The columns use the vault of their database (`Database.use_vault`). Without one, as in backups and
copies, they pass the stored text on unchanged, so that the key file stays the same. If the key file
is lost, the stored text is returned, which no server and no archive accepts.
"""

import logging
from typing import Any

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Dialect,
    LargeBinary,
    and_,
    select,
    type_coerce,
    update,
)
from sqlalchemy import Text as PlainText
from sqlalchemy.exc import OperationalError
from sqlalchemy.types import TypeDecorator

from quartet.kernel.db.database import Database, vault_of
from quartet.kernel.db.migrate import History
from quartet.kernel.errors import AppError
from quartet.kernel.vault import LOCKED

log = logging.getLogger("quartet.database")

_USE = "database"


class Secret(TypeDecorator[str]):
    """Encrypted text. Cannot be searched: equal texts are encrypted differently."""

    impl = PlainText
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return _encrypt(value, dialect)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return _decrypt(value, dialect)


class SecretBytes(TypeDecorator[bytes]):
    """Encrypted bytes, on SQLite only.

    Several servers on one PostgreSQL database must all be able to read them, but each has a key
    file of its own.
    """

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        vault = vault_of(dialect)
        if vault is None or not value or dialect.name != "sqlite":
            return value
        return LOCKED.encode() + vault.encrypt(value, _USE)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        vault = vault_of(dialect)
        if vault is None or value is None or not is_locked(value):
            return value
        try:
            return vault.decrypt(value.removeprefix(LOCKED.encode()), _USE)
        except AppError:
            log.warning("cannot decrypt a secret: the key file has changed")
            return value


class SecretJson(TypeDecorator[Any]):
    """Encrypted JSON. Empty values are not encrypted. None if the key file is lost."""

    impl = PlainText
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        if value is None or is_locked(value):
            return value  # type: ignore[no-any-return]
        text = msgspec.json.encode(value).decode()
        return _encrypt(text, dialect) if value else text

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        text = _decrypt(value, dialect)
        if text is None or not is_locked(text):
            return None if text is None else msgspec.json.decode(text)
        return text if vault_of(dialect) is None else None


class JsonWithSecret(TypeDecorator[Any]):
    """A JSON object in which one field is encrypted."""

    impl = PlainText
    cache_ok = True

    def __init__(self, secret: str) -> None:
        super().__init__()
        self.secret = secret

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        if value is None:
            return None
        fields: dict[str, Any] = msgspec.to_builtins(value)
        locked = _encrypt(fields.get(self.secret), dialect)
        return msgspec.json.encode({**fields, self.secret: locked}).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        fields = msgspec.json.decode(value)
        return {**fields, self.secret: _decrypt(fields.get(self.secret), dialect)}


def encrypt_stored_secrets(db: Database, history: History, version: int) -> None:
    """Encrypt the secrets that an earlier version stored as plain text.

    A SQLite file notes the schema version for which this was done, because it reads whole tables:
    a column that becomes a secret needs a migration.
    """
    if db.kind == "sqlite" and _noted_version(db) == version:
        return
    columns = [
        column
        for table in history.metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, Secret | SecretBytes | SecretJson | JsonWithSecret)
    ]
    changed = db.write_sync(lambda tx: sum(_encrypt_column(tx.conn, each) for each in columns))
    if changed:
        log.info("encrypted the secrets of %d rows", changed)
        _erase_deleted_rows(db)
    if db.kind == "sqlite":
        db.write_sync(lambda tx: tx.conn.exec_driver_sql(f"PRAGMA user_version = {version}"))


def _noted_version(db: Database) -> int:
    with db.engine.connect() as conn:
        return int(conn.exec_driver_sql("PRAGMA user_version").scalar_one())


def _rewrite_bytes(conn: Connection, column: Column[Any]) -> int:
    """Encrypt the values on SQLite; decrypt values that were copied from there to PostgreSQL."""
    table, raw = column.table, type_coerce(column, LargeBinary)
    changed = 0
    for stored, value, *key in conn.execute(select(raw, column, *table.primary_key)).all():
        wrong = is_locked(stored) != (conn.dialect.name == "sqlite")
        if wrong and not is_locked(value):
            same = and_(*(one == given for one, given in zip(table.primary_key, key, strict=True)))
            conn.execute(update(table).where(same).values({column.name: value}))
            changed += 1
    return changed


def _encrypt_column(conn: Connection, column: Column[Any]) -> int:
    if isinstance(column.type, SecretBytes):
        return _rewrite_bytes(conn, column)
    table = column.table
    keys = [_raw(each) if isinstance(each.type, Secret) else each for each in table.primary_key]
    rows = conn.execute(select(_raw(column), *keys).where(_may_be_plain(column))).all()
    changed = 0
    for text, *key in rows:
        value = text if isinstance(column.type, Secret) else msgspec.json.decode(text)
        if isinstance(column.type, JsonWithSecret) and _is_stored(value.get(column.type.secret)):
            continue
        same = and_(*(one == given for one, given in zip(keys, key, strict=True)))
        conn.execute(update(table).where(same).values({column.name: value}))
        changed += 1
    return changed


def _may_be_plain(column: Column[Any]) -> ColumnElement[bool]:
    return and_(_raw(column).not_like(LOCKED + "%"), _raw(column).not_in(["", "[]", "{}"]))


def _raw(column: Column[Any]) -> ColumnElement[str]:
    return type_coerce(column, PlainText)


def _erase_deleted_rows(db: Database) -> None:
    """Rewrite a SQLite file: deleted rows stay readable in it."""
    if db.kind != "sqlite":
        return
    try:
        with db.engine.connect() as conn:
            for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                # Use the driver's cursor, because SQLAlchemy would begin a transaction.
                conn.connection.cursor().execute(statement)
    except OperationalError as error:
        log.warning("plain text may remain in the database file: %s", error)


def _is_stored(value: str | None) -> bool:
    return not value or is_locked(value)


def is_locked(value: object) -> bool:
    """Return True for a stored value that is encrypted, or cannot be decrypted."""
    if isinstance(value, bytes):
        return value.startswith(LOCKED.encode())
    return isinstance(value, str) and value.startswith(LOCKED)


def _encrypt(value: str | None, dialect: Dialect) -> str | None:
    vault = vault_of(dialect)
    return vault.encrypt_text(value, _USE) if vault and value else value


def _decrypt(value: str | None, dialect: Dialect) -> str | None:
    vault = vault_of(dialect)
    if value is None or vault is None or not is_locked(value):
        return value
    try:
        return vault.decrypt_text(value, _USE)
    except (AppError, ValueError):
        log.warning("cannot decrypt a secret: the key file has changed")
        return value
