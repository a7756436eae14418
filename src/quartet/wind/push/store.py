from sqlalchemy import Connection, delete, or_, update

from quartet.wind.push.tables import subscriptions


def remove_of_session(conn: Connection, session: str) -> None:
    conn.execute(delete(subscriptions).where(subscriptions.c.session == session))


def remove_of_others(conn: Connection, user: int, keep: str | None) -> None:
    """Delete the subscriptions of a user except those of one session."""
    others = or_(subscriptions.c.session.is_(None), subscriptions.c.session != (keep or ""))
    conn.execute(delete(subscriptions).where(subscriptions.c.user_id == user, others))


def move(conn: Connection, user: int, old: str, new: str) -> None:
    """Hand the subscription of a browser over to its next session."""
    mine = (subscriptions.c.user_id == user) & (subscriptions.c.session == old)
    conn.execute(update(subscriptions).where(mine).values(session=new))
