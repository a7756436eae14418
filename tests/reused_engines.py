"""SQLite engines that the next test uses again.

SQLAlchemy compiles each statement once per engine. With new engines for every test, that takes a
third of the time of an HTTP test.
"""

from collections import defaultdict
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, event

from quartet.kernel.db import open as opening
from quartet.kernel.db.database import _VAULT, Database

_create = opening._sqlite
_close = Database.close
_free: defaultdict[str, list[Engine]] = defaultdict(list)
# The engines in use and the list that each returns to.
_used: dict[int, list[Engine]] = {}


def reuse_engines() -> None:
    """Make every SQLite database that is opened in this process use engines of closed ones."""
    opening._sqlite = _reused_engine
    Database.close = _close_and_free  # type: ignore[assignment,method-assign]


def _reused_engine(path: Path, begin: str, *, query_only: bool) -> Engine:
    free = _free[begin]
    engine = free.pop() if free else _new_engine(path, begin, query_only=query_only)
    engine.url = URL.create("sqlite", database=str(path))
    _used[id(engine)] = free
    return engine


def _new_engine(path: Path, begin: str, *, query_only: bool) -> Engine:
    engine = _create(path, begin, query_only=query_only)

    @event.listens_for(engine, "do_connect")
    def use_current_file(_dialect: object, _record: object, args: list[Any], _more: object) -> None:
        args[0] = engine.url.database

    return engine


def _close_and_free(db: Database) -> None:
    engines = (db._reader, db._writer)
    _close(db)
    for engine in engines:
        # A database may be closed twice, and PostgreSQL's engines are not reused.
        free = _used.pop(id(engine), None)
        if free is not None:
            vars(engine.dialect).pop(_VAULT, None)
            free.append(engine)
