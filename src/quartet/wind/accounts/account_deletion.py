"""Deleting accounts, and protecting the last admin."""

import logging

from quartet.kernel.auth import Sessions
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.wind.accounts import store

log = logging.getLogger("quartet.wind.accounts")


def require_other_admin(tx: Tx, user_id: int) -> None:
    """Raise `last_admin` if no other active admin would remain."""
    if store.lock_admins(tx.conn) == [user_id]:
        raise AppError(409, "last_admin")


def delete_account(tx: Tx, sessions: Sessions, user_id: int) -> None:
    require_other_admin(tx, user_id)
    sessions.end_all(tx, str(user_id))
    store.remove(tx.conn, user_id)
    tx.after_commit(lambda: log.info("account %d deleted", user_id))
