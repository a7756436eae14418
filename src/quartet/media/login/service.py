from quartet.kernel.addresses import TrustedProxies
from quartet.kernel.auth import (
    Sessions,
    Throttle,
    basic_password,
    bearer_token,
    client_key,
    hash_token,
    proxy_user,
    secrets_match,
)
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity, Kernel
from quartet.media.login.tables import sessions
from quartet.media.login.types import SessionState
from quartet.media.settings import MediaSettings

SESSION_SECONDS = 30 * 24 * 3600


class Login:
    """Authenticates by access token (bearer, basic or UI login) or by a trusted proxy's header.

    Without a token the service is open, and then it only listens on this machine.
    """

    def __init__(self, kernel: Kernel[MediaSettings]) -> None:
        self._db = kernel.db
        self._token = kernel.settings.token
        self._header = kernel.settings.auth_header
        self._proxies = TrustedProxies.parse(kernel.settings.trusted_proxies)
        self._throttle = Throttle()
        self.sessions = Sessions(kernel.db, sessions, name="quartet_media", seconds=SESSION_SECONDS)

    async def identify(self, connection: Connection) -> Identity | None:
        if self._header and (user := proxy_user(connection, self._header, self._proxies)):
            return Identity(user, "proxy")
        if self._token is None:
            return None if self._header else Identity("local", "open")
        if given := bearer_token(connection) or basic_password(connection):
            await self._check(connection, given)
            return Identity("token", "token")
        session = await self.sessions.of(connection)
        if session and session.subject == self._subject:
            return Identity("token", "session", session.token_hash)
        return None

    @property
    def _subject(self) -> str:
        """A session belongs to the token it was started with; a new token ends all sessions."""
        return hash_token(self._token or "")

    async def _check(self, connection: Connection, given: str) -> None:
        # The correct token always works, also from an address that others use to guess.
        if secrets_match(hash_token(given), self._subject):
            return
        await self._throttle.attempt(client_key(connection))
        raise AppError(401, "wrong_token")

    async def state(self, connection: Connection) -> SessionState:
        identity = await self.identify(connection)
        user = identity.subject if identity and identity.via == "proxy" else None
        return SessionState(self._token is not None, identity is not None, user)

    async def log_in(self, connection: Connection, token: str) -> str:
        if self._token is None:
            raise AppError(409, "no_token_set")
        await self._check(connection, token)
        return await self.sessions.start(self._subject, connection)

    async def log_out(self, connection: Connection) -> None:
        if session := await self.sessions.of(connection):
            await self._db.write(self.sessions.end, session.token_hash)
