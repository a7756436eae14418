import logging
import time
from collections import OrderedDict
from collections.abc import Callable

import msgspec
from litestar.datastructures import Cookie
from sqlalchemy import Connection as SqlConnection
from sqlalchemy import Table

from quartet.kernel.auth import store
from quartet.kernel.auth.cookies import SameSite, http_only_cookie, read_cookie
from quartet.kernel.auth.tokens import hash_token, new_token
from quartet.kernel.auth.types import Session, ShownSession, ShownSessions
from quartet.kernel.db import Database, DatabaseFull, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.events import EventHub, Signal
from quartet.kernel.service import Connection, Identity, client_address, header

log = logging.getLogger("quartet.auth")

ENDED = "sessions ended"
# A sign-out in a process whose signals do not arrive is noticed after this time.
CACHE_SECONDS = 5.0
CACHE_SIZE = 10_000
# How often the last use of a session is stored.
SEEN_SECONDS = 900
DEVICE_LENGTH = 300
# Sessions that were begun while the disk was full.
MOST_UNSAVED = 100


class Sessions:
    """Cookie sessions. Sign-in creates a new token; sign-out and password changes end sessions."""

    def __init__(
        self,
        db: Database,
        table: Table,
        *,
        name: str,
        seconds: int,
        same_site: SameSite = "lax",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._db, self._table, self._clock = db, table, clock
        self._name, self._seconds, self._same_site = name, seconds, same_site
        self._cache: OrderedDict[str, tuple[float, Session]] = OrderedDict()
        self._endings = 0
        self._unsaved: OrderedDict[str, Session] = OrderedDict()

    async def start(
        self,
        subject: str,
        connection: Connection,
        check: Callable[[Tx], None] = lambda _tx: None,
    ) -> str:
        """Create a session and return the token for the cookie.

        `check` raises if the password was changed since it was verified: the session would
        otherwise outlive that change. If the disk is full, the session is kept in memory, so that a
        user can sign in and see why.
        """

        def work(tx: Tx) -> str:
            check(tx)
            return self.begin(tx, subject, connection)

        try:
            return await self._db.write(work)
        except DatabaseFull:
            log.error("the disk is full: a session is kept in memory only")
        token = new_token()
        session = self._session(token, subject, connection)
        self._unsaved[session.token_hash] = session
        while len(self._unsaved) > MOST_UNSAVED:
            self._unsaved.popitem(last=False)
        return token

    def begin(
        self,
        tx: Tx,
        subject: str,
        connection: Connection | None = None,
        seconds: int | None = None,
    ) -> str:
        """Create a session in the caller's transaction and return the token for the cookie.

        `seconds` is the lifetime, if it differs from that of other sessions.
        """
        token = new_token()
        session = self._session(token, subject, connection, seconds)
        store.remove_expired(tx.conn, self._table, session.created_at)
        store.add(tx.conn, self._table, session)
        return token

    def _session(
        self,
        token: str,
        subject: str,
        connection: Connection | None,
        seconds: int | None = None,
    ) -> Session:
        now = int(self._clock())
        return Session(
            token_hash=hash_token(token),
            subject=subject,
            created_at=now,
            expires_at=now + (seconds or self._seconds),
            seen_at=now,
            address=client_address(connection) if connection else None,
            device=header(connection, "user-agent")[:DEVICE_LENGTH] if connection else None,
        )

    async def of(self, connection: Connection) -> Session | None:
        token = self.token(connection)
        session = await self.find(hash_token(token)) if token else None
        if session and self._clock() - (session.seen_at or 0) > SEEN_SECONDS:
            await self._note_use(session, connection)
        return session

    async def _note_use(self, session: Session, connection: Connection) -> None:
        now = self._clock()
        address = client_address(connection)
        session = msgspec.structs.replace(session, seen_at=int(now), address=address)
        if session.token_hash in self._cache:
            # Requests that arrive during the write find the new time here.
            self._remember(session, now)
        try:
            await self._db.write(lambda tx: store.seen(tx.conn, self._table, session))
        except DatabaseFull:
            log.warning("the disk is full: the use of a session is not stored")

    async def find(self, token_hash: str) -> Session | None:
        now = self._clock()
        if (unsaved := self._unsaved.get(token_hash)) is not None:
            return unsaved if unsaved.expires_at > now else None
        read_at, session = self._cache.get(token_hash, (0.0, None))
        if session is None or now - read_at > CACHE_SECONDS:
            endings = self._endings
            session = await self._db.read(store.find, self._table, token_hash)
            # Do not cache a session that ended while it was being read.
            if session and endings == self._endings:
                self._remember(session, now)
        return session if session and session.expires_at > now else None

    def _remember(self, session: Session, now: float) -> None:
        self._cache[session.token_hash] = (now, session)
        while len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)

    def watch_endings(self, hub: EventHub) -> None:
        """Clear the cache when another process ends a session."""
        hub.on(ENDED, lambda _about: self._forget())

    def _forget(self) -> None:
        self._endings += 1
        self._cache.clear()

    def end(self, tx: Tx, token_hash: str) -> None:
        self._unsaved.pop(token_hash, None)
        store.remove(tx.conn, self._table, token_hash)
        tx.after_commit(self._forget)
        tx.emit(Signal(ENDED))

    def end_all(self, tx: Tx, subject: str, *, keep: str | None = None) -> None:
        """End all sessions of a subject except `keep`."""
        for each in [one for one in self._unsaved.values() if one.subject == subject]:
            if each.token_hash != keep:
                self._unsaved.pop(each.token_hash, None)
        store.remove_subject(tx.conn, self._table, subject, keep)
        tx.after_commit(self._forget)
        tx.emit(Signal(ENDED))

    async def shown(self, identity: Identity) -> ShownSessions:
        """List the sessions of the caller."""
        return ShownSessions(
            [
                ShownSession(
                    id=each.id,
                    created_at=each.created_at,
                    seen_at=each.seen_at or each.created_at,
                    address=each.address or "",
                    device=each.device or "",
                    current=each.token_hash == identity.session,
                )
                for each in await self._db.read(self._of_caller, identity)
            ]
        )

    async def end_one(self, identity: Identity, id: str) -> None:
        """End a session of the caller."""

        def work(tx: Tx) -> None:
            found = next((one for one in self._of_caller(tx.conn, identity) if one.id == id), None)
            if found is None:
                raise AppError(404, "not_found", id=id)
            self.end(tx, found.token_hash)

        await self._db.write(work)

    async def end_others(self, identity: Identity) -> None:
        """End all sessions of the caller except the current one."""

        def work(tx: Tx) -> None:
            for each in self._of_caller(tx.conn, identity):
                if each.token_hash != identity.session:
                    self.end(tx, each.token_hash)

        await self._db.write(work)

    def _of_caller(self, conn: SqlConnection, identity: Identity) -> list[Session]:
        current = store.find(conn, self._table, identity.session or "")
        if current is None:
            return []
        return store.of_subject(conn, self._table, current.subject, int(self._clock()))

    def token(self, connection: Connection) -> str | None:
        return read_cookie(connection, self._name) or None

    def cookie(self, connection: Connection, token: str) -> Cookie:
        return http_only_cookie(connection, self._name, token, self._seconds, self._same_site)

    def expired_cookie(self, connection: Connection) -> Cookie:
        return http_only_cookie(connection, self._name, "", 0, self._same_site)
