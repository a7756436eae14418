"""Pending confirmations: passkey ceremonies and links in mails."""

from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, insert, select

from quartet.wind.accounts.tables import ceremonies, email_tokens
from quartet.wind.accounts.types import Ceremony, MailLink, NewUser


def add_ceremony(
    conn: Connection, token_hash: str, ceremony: Ceremony, now: int, expires_at: int
) -> None:
    conn.execute(delete(ceremonies).where(ceremonies.c.expires_at <= now))
    conn.execute(
        insert(ceremonies).values(token_hash=token_hash, state=ceremony, expires_at=expires_at)
    )


def take_ceremony(conn: Connection, token_hash: str, now: int) -> Ceremony | None:
    """Return the ceremony and delete it, so that it can be used only once."""
    own = delete(ceremonies).where(ceremonies.c.token_hash == token_hash)
    row = conn.execute(own.returning(ceremonies.c.state, ceremonies.c.expires_at)).first()
    if row is None or row.expires_at <= now:
        return None
    return msgspec.convert(row.state, Ceremony)


def add_link(conn: Connection, token_hash: str, link: MailLink, now: int, expires_at: int) -> None:
    conn.execute(delete(email_tokens).where(email_tokens.c.expires_at <= now))
    conn.execute(
        insert(email_tokens).values(
            token_hash=token_hash,
            purpose=link.purpose,
            user_id=link.user_id,
            email=link.email,
            sign_up=link.new,
            created_at=now,
            expires_at=expires_at,
        )
    )


def find_link(conn: Connection, token_hash: str, now: int) -> MailLink | None:
    row = conn.execute(select(email_tokens).where(email_tokens.c.token_hash == token_hash)).first()
    return _link(row) if row is not None and row.expires_at > now else None


def take_link(conn: Connection, token_hash: str, now: int) -> MailLink | None:
    own = delete(email_tokens).where(email_tokens.c.token_hash == token_hash)
    row = conn.execute(own.returning(email_tokens)).first()
    return _link(row) if row is not None and row.expires_at > now else None


def _link(row: Row[Any]) -> MailLink:
    new = msgspec.convert(row.sign_up, NewUser | None)
    return MailLink(row.purpose, row.email, row.user_id, new)


def pending_email(conn: Connection, user_id: int, now: int) -> str | None:
    """Return the newest address that is not confirmed yet."""
    return conn.execute(
        select(email_tokens.c.email)
        .where(
            email_tokens.c.user_id == user_id,
            email_tokens.c.purpose == "email",
            email_tokens.c.expires_at > now,
        )
        .order_by(email_tokens.c.created_at.desc())
        .limit(1)
    ).scalar_one_or_none()


def remove_links(conn: Connection, user_id: int, purpose: str | None = None) -> None:
    which = email_tokens.c.user_id == user_id
    if purpose is not None:
        which &= email_tokens.c.purpose == purpose
    conn.execute(delete(email_tokens).where(which))


def remove_sign_ups(conn: Connection) -> int:
    return conn.execute(delete(email_tokens).where(email_tokens.c.purpose == "sign_up")).rowcount
