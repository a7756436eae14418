from sqlalchemy import Connection

from quartet.wind.accounts import store, store_passkeys, store_pending, store_recovery
from quartet.wind.accounts.types import Me, SessionShown


def me(conn: Connection, user_id: int, session: str | None, now: int) -> Me | None:
    """Return the user's own view of the account; `session` is the hash of the current session."""
    user = store.user(conn, user_id)
    if user is None:
        return None
    return Me(
        id=user.id,
        name=user.name,
        email=user.email,
        email_confirmed=user.email_confirmed,
        pending_email=store_pending.pending_email(conn, user_id, now),
        has_password=user.password_hash is not None,
        passkeys=[each.shown() for each in store_passkeys.of_user(conn, user_id)],
        sessions=[
            SessionShown(
                each.id,
                each.created_at,
                each.token_hash == session,
                each.seen_at or each.created_at,
                each.address or "",
                each.device or "",
            )
            for each in store.sessions_of(conn, user_id, now)
        ],
        role=user.role,
        language=user.language,
        created_at=user.created_at,
        recovery_codes=store_recovery.left(conn, user_id),
        units=user.units,
    )
