import logging
from collections.abc import Iterable
from urllib.parse import urlsplit

import msgspec

from quartet.downloads.events import Changed
from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.packages.service import require_found, valid_id
from quartet.downloads.request_headers import RequestHeaders
from quartet.downloads.server_logins import store
from quartet.downloads.server_logins.types import NewServerLogin, ServerLogin, ServerLoginChange
from quartet.downloads.transfer import PORTS, ServerCredentials, login_for
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError

log = logging.getLogger("quartet.downloads.accounts")

MOST_LOGINS = 500


class ServerLogins:
    """Users and passwords for links that need no plugin, each for one server."""

    def __init__(self, db: Database) -> None:
        self._db = db
        # Cached, because every download needs them; cleared on every change.
        self._known: list[ServerCredentials] | None = None
        self._changes = 0

    async def all(self) -> list[ServerLogin]:
        return await self._db.read(store.all_logins)

    async def add(self, given: NewServerLogin) -> int:
        address = server_address(given.address)
        values = {"address": address, "user": _user(given.user), "password": given.password}

        def work(tx: Tx) -> int:
            _require_new(tx, address)
            if store.count(tx.conn) >= MOST_LOGINS:
                raise AppError(409, "too_many_server_logins", limit=MOST_LOGINS)
            self._changed(tx)
            return store.add(tx.conn, values)

        id = await self._db.write(work)
        log.info("login for %s added", address)
        return id

    async def change(self, id: int, given: ServerLoginChange) -> None:
        values = {k: v for k, v in msgspec.structs.asdict(given).items() if v is not None}
        if "address" in values:
            values["address"] = server_address(values["address"])
        if "user" in values:
            values["user"] = _user(values["user"])

        def work(tx: Tx) -> None:
            if "address" in values:
                _require_new(tx, values["address"], but=id)
            if "password" not in values:
                _require_same(tx, values.get("address"), id)
            require_found(store.change(tx.conn, valid_id(id), values), id=id)
            self._changed(tx)

        await self._db.write(work)

    async def remove(self, id: int) -> None:
        def work(tx: Tx) -> None:
            require_found(store.remove(tx.conn, valid_id(id)), id=id)
            self._changed(tx)

        await self._db.write(work)

    async def for_links(self, urls: Iterable[str]) -> tuple[ServerCredentials, ...]:
        """Return the logins of the servers of these links."""
        known = await self._logins()
        found = (login_for(known, url) for url in urls) if known else ()
        return tuple(dict.fromkeys(login for login in found if login))

    async def with_login(self, url: str, own: RequestHeaders) -> RequestHeaders:
        """Return the headers for a link, with its login unless they contain one."""
        login = next(iter(await self.for_links([url])), None)
        if login is None or any(name.lower() == "authorization" for name in own.headers):
            return own
        return own._replace(headers={**own.headers, "Authorization": login.as_header()})

    async def header(self, url: str) -> dict[str, str]:
        """Return the header for the login of an address; empty if there is none."""
        return (await self.with_login(url, RequestHeaders())).headers

    async def _logins(self) -> list[ServerCredentials]:
        if self._known is not None:
            return self._known
        changes = self._changes
        found = await self._db.read(store.with_passwords)
        if changes == self._changes:
            self._known = found
        return found

    def _changed(self, tx: Tx) -> None:
        tx.emit(Changed("accounts"))
        tx.after_commit(self._clear)

    def _clear(self) -> None:
        """Clear the cache; may be called from any thread."""
        self._changes += 1
        self._known = None


def server_address(text: str) -> str:
    """Return scheme, host and port of an address; the port only if it is not the usual one."""
    try:
        parts = urlsplit(clean_text(text))
        scheme, host, port = parts.scheme.lower(), parts.hostname, parts.port
    except ValueError:
        scheme, host, port = "", None, None
    if scheme not in PORTS or not host or not host.isprintable() or " " in host:
        raise AppError(400, "server_address_invalid", field="address")
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}" if port in (None, PORTS[scheme]) else f"{scheme}://{shown}:{port}"


def _user(text: str) -> str:
    user = clean_text(text)
    if not user or ":" in user:
        # Basic authentication could not tell where the password begins.
        raise AppError(400, "server_user_invalid", field="user")
    return user


def _require_same(tx: Tx, address: str | None, id: int) -> None:
    """Refuse to keep the password for another server, which would reveal it."""
    if address is not None and store.id_of(tx.conn, address) != id:
        raise AppError(400, "server_password_needed", field="password")


def _require_new(tx: Tx, address: str, but: int | None = None) -> None:
    if store.id_of(tx.conn, address) not in (None, but):
        raise AppError(409, "server_login_exists", address=address)
