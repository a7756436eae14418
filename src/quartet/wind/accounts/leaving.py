"""How people leave: with all that is theirs, and never as the last admin."""

from quartet.kernel.auth import Sessions
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.wind.accounts import store


def leave_an_admin(tx: Tx, user_id: int) -> None:
    """Before somebody loses the role, is disabled or goes: another one must remain."""
    if store.lock_admins(tx.conn) == [user_id]:
        raise AppError(409, "last_admin")


def erase(tx: Tx, sessions: Sessions, user_id: int) -> None:
    leave_an_admin(tx, user_id)
    sessions.end_all(tx, str(user_id))
    store.remove(tx.conn, user_id)
