"""Sessions, and actions on a user's own account."""

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from quartet.kernel.auth import Session, Sessions, hash_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity
from quartet.wind.accounts import store, store_me
from quartet.wind.accounts.account_deletion import delete_account
from quartet.wind.accounts.tables import sessions
from quartet.wind.accounts.types import Me, SignInResult, User

T = TypeVar("T")


class SessionFollower(Protocol):
    """Something that belongs to a session and must not outlive it."""

    def ended(self, tx: Tx, token_hash: str) -> None: ...

    def all_ended(self, tx: Tx, user_id: int, keep: str | None) -> None: ...

    def renewed(self, tx: Tx, user_id: int, old: str, new: str) -> None: ...


HALF_A_YEAR = 182 * 24 * 3600
# Resolution of the "last seen" time that admins see.
SEEN_SECONDS = 3600


class Accounts:
    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db, self._clock = db, clock
        self.sessions = Sessions(
            db, sessions, name="quartet_wind", seconds=HALF_A_YEAR, clock=clock
        )
        self.followers: list[SessionFollower] = []

    @property
    def now(self) -> int:
        return int(self._clock())

    async def identify(self, connection: Connection) -> Identity | None:
        found = await self._signed_in(connection)
        if found is None:
            return None
        session, user = found
        if connection.scope["route_handler"].opt.get("admin") and user.role != "admin":
            raise AppError(403, "forbidden")
        if self.now - (user.seen_at or 0) > SEEN_SECONDS:
            await self._db.write(lambda tx: store.change(tx.conn, user.id, seen_at=self.now))
        return Identity(session.subject, "session", session.token_hash)

    async def is_signed_in(self, connection: Connection) -> bool:
        return await self._signed_in(connection) is not None

    async def _signed_in(self, connection: Connection) -> tuple[Session, User] | None:
        session = await self.sessions.of(connection)
        if session is None:
            return None
        user = await self._db.read(store.user, int(session.subject))
        return None if user is None or user.disabled else (session, user)

    def start_session(self, tx: Tx, connection: Connection, user: User) -> SignInResult:
        """Sign in: start a session and end the one the browser had before."""
        if user.disabled:
            raise AppError(403, "account_disabled")
        before = self.sessions.token(connection)
        store.change(tx.conn, user.id, seen_at=self.now)
        token = self.sessions.begin(tx, str(user.id), connection)
        if before:
            for follower in self.followers:
                follower.renewed(tx, user.id, hash_token(before), hash_token(token))
            self.end_session(tx, hash_token(before))
        return SignInResult(token, self.shown(tx, user.id, hash_token(token)), user.handle)

    def end_session(self, tx: Tx, token_hash: str) -> None:
        self.sessions.end(tx, token_hash)
        for follower in self.followers:
            follower.ended(tx, token_hash)

    def end_sessions(self, tx: Tx, user_id: int, *, keep: str | None = None) -> None:
        """End all sessions of a user except `keep`, with everything that belongs to them."""
        self.sessions.end_all(tx, str(user_id), keep=keep)
        for follower in self.followers:
            follower.all_ended(tx, user_id, keep)

    def shown(self, tx: Tx, user_id: int, session: str | None) -> Me:
        return require_account(store_me.me(tx.conn, user_id, session, self.now))

    async def me(self, identity: Identity) -> Me:
        user_id = int(identity.subject)
        return require_account(
            await self._db.read(store_me.me, user_id, identity.session, self.now)
        )

    async def sign_out(self, connection: Connection) -> None:
        """End the session, if there still is one."""
        token = self.sessions.token(connection)
        if token:
            await self._db.write(self.end_session, hash_token(token))

    async def sign_out_others(self, identity: Identity) -> Me:
        def work(tx: Tx) -> Me:
            self.end_sessions(tx, int(identity.subject), keep=identity.session)
            return self.shown(tx, int(identity.subject), identity.session)

        return await self._db.write(work)

    async def sign_out_one(self, identity: Identity, session: str) -> Me:
        """End one session of the user, named by the id that lists show."""
        user_id = int(identity.subject)

        def work(tx: Tx) -> Me:
            mine = store.sessions_of(tx.conn, user_id, self.now)
            found = next((each for each in mine if each.id == session), None)
            if found is None:
                raise AppError(404, "not_found")
            self.end_session(tx, found.token_hash)
            return self.shown(tx, user_id, identity.session)

        return await self._db.write(work)

    async def delete(self, identity: Identity) -> None:
        """Delete the account with all its data."""
        await self._db.write(lambda tx: delete_account(tx, self.sessions, int(identity.subject)))


def require_account(person: T | None) -> T:
    """Return the row, or raise `signed_out` if the account was deleted during the request."""
    if person is None:
        raise AppError(401, "signed_out")
    return person
