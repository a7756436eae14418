from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from quartet.sync.accounts.tables import (
    account_devices,
    account_identities,
    account_invitations,
    accounts,
)
from quartet.sync.accounts.types import Account, ProviderIdentity
from quartet.sync.config.tables import devices

# Stored instead of a hash; no password matches it.
NO_PASSWORD = "-"  # noqa: S105


def load_all(conn: Connection) -> dict[str, Account]:
    assigned: dict[str, set[int]] = {}
    for row in conn.execute(select(account_devices)):
        assigned.setdefault(row.account, set()).add(row.device_id)
    invited = {row.account: row.expires_at for row in conn.execute(select(account_invitations))}
    identities = {
        row.account: ProviderIdentity(row.account, row.follows_groups)
        for row in conn.execute(select(account_identities))
    }
    return {
        row.name: Account(
            row.name,
            row.role,
            frozenset(assigned.get(row.name, ())),
            row.created_at,
            row.password_hash != NO_PASSWORD,
            invited.get(row.name),
            identities.get(row.name),
        )
        for row in conn.execute(select(accounts).order_by(accounts.c.name))
    }


def password_hash(conn: Connection, name: str) -> str | None:
    query = select(accounts.c.password_hash).where(accounts.c.name == name)
    found = conn.execute(query).scalar()
    return None if found == NO_PASSWORD else found


def lock_password_hash(conn: Connection, name: str) -> str | None:
    """Return the hash, which stays the same until the transaction ends."""
    query = select(accounts.c.password_hash).where(accounts.c.name == name).with_for_update()
    found = conn.execute(query).scalar()
    return None if found == NO_PASSWORD else found


def add(conn: Connection, values: Mapping[str, Any]) -> None:
    conn.execute(insert(accounts).values(**values))


def change(conn: Connection, name: str, values: Mapping[str, Any]) -> None:
    conn.execute(update(accounts).where(accounts.c.name == name).values(**values))


def assign(conn: Connection, name: str, device_ids: Iterable[int]) -> None:
    """Replace the devices of an account; unknown devices are left out."""
    conn.execute(delete(account_devices).where(account_devices.c.account == name))
    known = set(conn.execute(select(devices.c.id).where(devices.c.id.in_(device_ids))).scalars())
    if known:
        rows = [{"account": name, "device_id": id} for id in sorted(known)]
        conn.execute(insert(account_devices), rows)


def remove(conn: Connection, name: str) -> bool:
    return conn.execute(delete(accounts).where(accounts.c.name == name)).rowcount > 0


def invite(conn: Connection, name: str, token_hash: str, expires_at: int) -> None:
    """Replace the invitation of an account."""
    withdraw_invitation(conn, name)
    values = {"account": name, "token_hash": token_hash, "expires_at": expires_at}
    conn.execute(insert(account_invitations).values(values))


def find_invitation(conn: Connection, token_hash: str) -> tuple[str, int] | None:
    """Return the account and the expiry of an invitation."""
    query = select(account_invitations.c.account, account_invitations.c.expires_at)
    row = conn.execute(query.where(account_invitations.c.token_hash == token_hash)).first()
    return (row.account, row.expires_at) if row else None


def withdraw_invitation(conn: Connection, name: str) -> None:
    conn.execute(delete(account_invitations).where(account_invitations.c.account == name))


def find_identity(conn: Connection, issuer: str, subject: str) -> ProviderIdentity | None:
    """Return the account of a person at a sign-in provider."""
    table = account_identities
    query = select(table.c.account, table.c.follows_groups)
    row = conn.execute(query.where(table.c.issuer == issuer, table.c.subject == subject)).first()
    return ProviderIdentity(*row) if row else None


def connect(
    conn: Connection, issuer: str, subject: str, name: str, *, follows_groups: bool
) -> None:
    values = {"issuer": issuer, "subject": subject, "account": name}
    conn.execute(insert(account_identities).values(**values, follows_groups=follows_groups))
