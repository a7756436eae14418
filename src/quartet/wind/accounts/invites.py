"""Invites: single-use codes that allow one person to sign up."""

import secrets
import time
from collections.abc import Callable

from quartet.kernel.auth import hash_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.wind.accounts import store_invites
from quartet.wind.accounts.types import Invite, MadeInvite, NewInvite

DAY = 24 * 3600


def invite_path(code: str) -> str:
    """Return the path of the sign-up page with the code filled in."""
    return f"/sign-up?invite={code}"


def new_invite(tx: Tx, wanted: NewInvite, by: int | None, now: int) -> MadeInvite:
    """Create an invite; `by` is not set for the first admin's invite."""
    code = secrets.token_urlsafe(18)
    invite = store_invites.add(
        tx.conn,
        {
            "code_hash": hash_token(code),
            "note": " ".join(wanted.note.split()),
            "role": wanted.role,
            "created_by": by,
            "created_at": now,
            "expires_at": now + wanted.days * DAY,
        },
    )
    return MadeInvite(invite, code, invite_path(code))


class Invites:
    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db, self._clock = db, clock

    async def make(self, wanted: NewInvite, by: int) -> MadeInvite:
        """Create an invite and return its code, which is not shown again."""
        return await self._db.write(new_invite, wanted, by, int(self._clock()))

    async def list(self) -> list[Invite]:
        return await self._db.read(store_invites.everything)

    async def revoke(self, invite_id: int) -> None:
        if not await self._db.write(lambda tx: store_invites.remove(tx.conn, invite_id)):
            raise AppError(404, "not_found")
