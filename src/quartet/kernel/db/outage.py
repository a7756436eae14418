"""Tells a lost PostgreSQL server from other database errors and logs it once."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from quartet.kernel.errors import AppError

log = logging.getLogger("quartet.db")

RETRY_SECONDS = 5
# The server is shutting down, has crashed, is starting or has no free connections; other classes
# that start with 08 are connection errors.
_LOST_STATES = {"57P01", "57P02", "57P03", "53300"}


class Outages:
    def __init__(self) -> None:
        self._lost = False

    @contextmanager
    def reported(self) -> Iterator[None]:
        """Raise `database_unavailable` if the connection is lost; log the start and the end."""
        try:
            yield
        except DBAPIError as error:
            if not _is_lost(error):
                raise
            message = f"the database is unavailable: {_first_line(error)}"
            if not self._lost:
                self._lost = True
                log.error("%s", message)
            unavailable = AppError(503, "database_unavailable", seconds=RETRY_SECONDS)
            # Commands print the notes of an error.
            unavailable.add_note(message)
            raise unavailable from error
        if self._lost:
            self._lost = False
            log.info("the database is available again")


def _is_lost(error: DBAPIError) -> bool:
    # Errors of SQLite have no state: a full or broken disk does not recover without help.
    if not hasattr(error.orig, "sqlstate"):
        return False
    state: str | None = getattr(error.orig, "sqlstate", None)
    if state is None:
        return error.connection_invalidated or "connection" in str(error.orig)
    return state in _LOST_STATES or state.startswith("08")


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().partition("\n")[0]
