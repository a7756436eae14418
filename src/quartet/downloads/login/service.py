import asyncio
import logging
import time

from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.login import store
from quartet.downloads.login.setup_code import SetupCode
from quartet.downloads.login.tables import sessions
from quartet.downloads.login.types import Credentials, FirstUser, LoginState, PasswordChange
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.auth import (
    Passwords,
    Sessions,
    Throttle,
    bearer_token,
    check_password_rules,
    client_key,
    hash_token,
    new_token,
    secrets_match,
)
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity, Kernel

log = logging.getLogger("quartet.downloads.login")

SESSION_SECONDS = 30 * 24 * 3600
DEFAULT_USER = "admin"
# The name of programs with the API token in the audit log.
API_USER = "api"


class Login:
    """One user with a password for browsers, and one API token for programs."""

    def __init__(self, kernel: Kernel[DownloadsSettings]) -> None:
        self._db = kernel.db
        self.sessions = Sessions(
            kernel.db, sessions, name="quartet_downloads", seconds=SESSION_SECONDS
        )
        self._passwords = Passwords()
        self._throttle = Throttle()
        self._setup_code = SetupCode(kernel.settings.data)

    async def identify(self, connection: Connection) -> Identity | None:
        if token := bearer_token(connection):
            return await self._identify_token(token)
        session = await self.sessions.of(connection)
        return Identity(session.subject, "session", session.token_hash) if session else None

    async def _identify_token(self, token: str) -> Identity | None:
        stored = await self._db.read(store.api_token_hash)
        return (
            Identity(API_USER, "token")
            if stored and secrets_match(hash_token(token), stored)
            else None
        )

    async def is_api_token(self, token: str) -> bool:
        return await self._identify_token(token) is not None

    async def state(self, connection: Connection) -> LoginState:
        session = await self.sessions.of(connection)
        name = await self._db.read(store.user_name)
        return LoginState(name is None, session is not None, session.subject if session else None)

    async def set_up(self, connection: Connection, given: FirstUser) -> str:
        """Create the first user and sign in; return the session token."""
        name = clean_text(given.user)
        if not name:
            raise AppError(400, "user_required")
        check_password_rules(given.password)
        if await self._db.read(store.user_name) is not None:
            raise AppError(409, "user_exists")
        await self._check_setup_code(connection, given.code)
        hashed = await self._passwords.hash(given.password)

        def work(tx: Tx) -> str | None:
            if not store.add_user(tx.conn, name, hashed):
                return None
            return self.sessions.begin(tx, name, connection)

        token = await self._db.write(work)
        if token is None:
            raise AppError(409, "user_exists")
        await asyncio.to_thread(self._setup_code.discard)
        log.info("created the user %s", name)
        return token

    async def _check_setup_code(self, connection: Connection, code: str) -> None:
        key = client_key(connection)
        await self._throttle.attempt(key)
        if not await asyncio.to_thread(self._setup_code.matches, code):
            raise AppError(403, "setup_code_wrong")
        await self._throttle.passed(key)

    async def log_in(self, connection: Connection, given: Credentials) -> str:
        key = client_key(connection)
        await self._throttle.attempt(key)
        name = clean_text(given.user)
        stored = await self._db.read(store.password_hash, name)
        if not await self._passwords.verify(stored, given.password):
            raise AppError(401, "wrong_credentials")

        def check(tx: Tx) -> None:
            if store.lock_password_hash(tx.conn, name) != stored:
                raise AppError(401, "wrong_credentials")

        token = await self.sessions.start(name, connection, check)
        await self._throttle.passed(key)
        return token

    async def log_out(self, connection: Connection) -> None:
        if session := await self.sessions.of(connection):
            await self._db.write(self.sessions.end, session.token_hash)

    async def end_session(self, token: str) -> None:
        if session := await self.sessions.find(hash_token(token)):
            await self._db.write(self.sessions.end, session.token_hash)

    async def change_password(
        self, connection: Connection, identity: Identity, given: PasswordChange
    ) -> None:
        """Change the password and end all other sessions, which may use the old one."""
        check_password_rules(given.new)
        key = client_key(connection)
        await self._throttle.attempt(key)
        name = await self._db.read(store.user_name) or ""
        stored = await self._db.read(store.password_hash, name)
        if not await self._passwords.verify(stored, given.current):
            raise AppError(400, "wrong_current_password")
        await self._throttle.passed(key)
        hashed = await self._passwords.hash(given.new)

        def work(tx: Tx) -> None:
            if store.lock_password_hash(tx.conn, name) != stored:
                raise AppError(400, "wrong_current_password")
            store.set_password_hash(tx.conn, name, hashed)
            self.sessions.end_all(tx, name, keep=identity.session)

        await self._db.write(work)

    def set_password(self, user: str | None, password: str) -> str:
        """Create or change the user from the command line, end every session, return the name."""
        check_password_rules(password)
        hashed = self._passwords.hash_now(password)

        def work(tx: Tx) -> str:
            before = store.user_name(tx.conn)
            name = clean_text(user or "") or before or DEFAULT_USER
            store.replace_user(tx.conn, name, hashed)
            for subject in {before, name} - {None}:
                self.sessions.end_all(tx, str(subject))
            return name

        name = self._db.write_sync(work)
        self._setup_code.discard()
        return name

    async def new_api_token(self) -> str:
        token = new_token()
        await self._db.write(
            lambda tx: store.replace_api_token(tx.conn, hash_token(token), int(time.time()))
        )
        return token
