import shlex
from pathlib import Path

from quartet.kernel.auth import (
    Passwords,
    Sessions,
    Throttle,
    check_password_rules,
    client_key,
    csrf_token,
    secrets_match,
)
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.request_checks import SAFE_METHODS
from quartet.kernel.service import Connection, Identity, header
from quartet.sync.accounts import store as accounts_store
from quartet.sync.accounts.invitations import Invitations
from quartet.sync.accounts.service import Accounts
from quartet.sync.accounts.types import FIRST_ADMIN
from quartet.sync.login import store
from quartet.sync.login.tables import sessions
from quartet.sync.login.types import LoggedIn, SessionEnded, SessionState

SESSION_SECONDS = 30 * 24 * 3600
# `--data` names the parent of this folder.
SERVICE_FOLDER = "sync"


class Login:
    """Sign-in with a password; every change must carry the session's CSRF token."""

    def __init__(
        self,
        db: Database,
        throttle: Throttle | None = None,
        data: Path | None = None,
        provider: str | None = None,
    ) -> None:
        self._db = db
        # The name of the sign-in provider.
        self._provider = provider
        self._command = set_password_command(data) if data else None
        self.sessions = Sessions(
            db, sessions, name="quartet_sync", seconds=SESSION_SECONDS, same_site="strict"
        )
        self._passwords = Passwords()
        self._throttle = throttle or Throttle()
        self.accounts = Accounts(db, self._passwords, self.sessions, self._throttle)
        self.invitations = Invitations(
            db, self.accounts, self._passwords, self.sessions, self._throttle
        )

    async def identify(self, connection: Connection) -> Identity | None:
        session = await self.sessions.of(connection)
        if session is None or not await self._has_account(session.subject):
            return None
        if connection.scope.get("method", "GET") not in SAFE_METHODS:
            self._check_csrf(connection)
        return Identity(session.subject, "session", session.token_hash)

    async def is_valid(self, identity: Identity) -> bool:
        """Return False if the session has ended or its account has been removed."""
        session = await self.sessions.find(identity.session or "")
        return session is not None and await self._has_account(session.subject)

    async def _has_account(self, name: str) -> bool:
        if name != FIRST_ADMIN:
            await self.accounts.refresh()
        return self.accounts.role(name) is not None

    def _check_csrf(self, connection: Connection) -> None:
        expected = csrf_token(self.sessions.token(connection) or "")
        if not secrets_match(header(connection, "x-csrf-token"), expected):
            raise AppError(403, "csrf_failed")

    async def state(self, connection: Connection) -> SessionState:
        set_up = await self._db.read(store.password_hash) is not None
        token, session = self.sessions.token(connection), await self.sessions.of(connection)
        if token is None or session is None or not await self._has_account(session.subject):
            command = None if set_up else self._command
            several = await self.accounts.any_exist()
            return SessionState(
                set_up,
                logged_in=False,
                command=command,
                has_accounts=several,
                provider=self._provider,
            )
        role = self.accounts.role(session.subject)
        return SessionState(
            set_up,
            logged_in=True,
            csrf_token=csrf_token(token),
            command=self._command if role == "admin" else None,
            account=session.subject,
            role=role,
            provider=self._provider,
            connected=self.accounts.is_connected(session.subject),
            no_password=not self.accounts.has_password(session.subject),
        )

    async def log_in(
        self, connection: Connection, name: str, password: str
    ) -> tuple[str, LoggedIn]:
        """Return the session's token for the cookie, and the response body."""
        key = client_key(connection)
        await self._throttle.attempt(key)
        stored = await self._stored(name)
        if not await self._passwords.verify(stored, password):
            raise AppError(401, "wrong_password")

        def check(tx: Tx) -> None:
            if self._lock_stored(tx, name) != stored:
                raise AppError(401, "wrong_password")

        token = await self.sessions.start(name, connection, check)
        await self._throttle.passed(key)
        return token, LoggedIn(csrf_token(token))

    async def _stored(self, name: str) -> str | None:
        """Return the hash of a password; None without one."""
        if name != FIRST_ADMIN:
            return await self._db.read(accounts_store.password_hash, name)
        stored = await self._db.read(store.password_hash)
        if stored is None:
            raise AppError(409, "not_set_up")
        return stored

    @staticmethod
    def _lock_stored(tx: Tx, name: str) -> str | None:
        if name == FIRST_ADMIN:
            return store.lock_password_hash(tx.conn)
        return accounts_store.lock_password_hash(tx.conn, name)

    async def log_out(self, identity: Identity) -> None:
        def work(tx: Tx) -> None:
            self.sessions.end(tx, identity.session or "")
            # Wakes all open sockets, so that those of this session close now.
            tx.emit(SessionEnded())

        await self._db.write(work)

    def set_password(self, password: str) -> None:
        """Set the password from the command line; end all sessions, even in a running server."""
        check_password_rules(password)
        hashed = self._passwords.hash_now(password)

        def work(tx: Tx) -> None:
            store.set_password_hash(tx.conn, hashed)
            self.sessions.end_all(tx, FIRST_ADMIN)

        self._db.write_sync(work)


def set_password_command(data: Path) -> str:
    """Return the command for the data folder in use: it may be run from any folder."""
    place = data.absolute()
    if place.name == SERVICE_FOLDER:
        return f"quartet sync set-password --data {shlex.quote(str(place.parent))}"
    return f"SYNC_DATA={shlex.quote(str(place))} quartet sync set-password"
