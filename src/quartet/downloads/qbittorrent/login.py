"""Signs qBittorrent clients in: with the password of the user or with the API token."""

from urllib.parse import urlsplit

from quartet.downloads.login.service import Login
from quartet.downloads.login.types import Credentials
from quartet.kernel.auth import bearer_token, hash_token
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity, header

PREFIX = "/api/v2/"
# The name that clients know.
COOKIE = "SID"


class ClientLogin:
    def __init__(self, login: Login, public_url: str | None) -> None:
        self._login = login
        self._public = urlsplit(public_url or "").netloc.lower()

    async def identify(self, connection: Connection) -> Identity | None:
        """Identify the sender of any request; only this interface accepts the cookie of clients."""
        if connection.scope["path"].startswith(PREFIX) and not bearer_token(connection):
            self.check_page(connection)
            if identity := await self._identify_cookie(_cookie(connection)):
                return identity
        return await self._login.identify(connection)

    async def _identify_cookie(self, given: str) -> Identity | None:
        if not given:
            return None
        session = await self._login.sessions.find(hash_token(given))
        if session:
            return Identity(session.subject, "session", session.token_hash)
        return Identity("api", "token") if await self._login.is_api_token(given) else None

    def check_page(self, connection: Connection) -> None:
        """Reject requests of pages of other origins, also those that only read."""
        own = (header(connection, "host").lower(), self._public)
        for name in ("origin", "referer"):
            page = header(connection, name)
            if page and _host(page) not in own:
                raise AppError(403, "unauthorized_origin")

    async def log_in(self, connection: Connection, user: str, password: str) -> str:
        """Return the value of the cookie; the API token is one itself."""
        if await self._login.is_api_token(password):
            return password
        return await self._login.log_in(connection, Credentials(user, password))

    async def log_out(self, connection: Connection) -> None:
        await self._login.end_session(_cookie(connection))


def _cookie(connection: Connection) -> str:
    pairs = (each.strip().partition("=") for each in header(connection, "cookie").split(";"))
    return next((value for name, _, value in pairs if name == COOKIE), "")


def _host(page: str) -> str:
    try:
        return urlsplit(page).netloc.lower()
    except ValueError:
        return "invalid"
