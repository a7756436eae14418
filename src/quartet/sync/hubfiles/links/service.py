import hashlib
import logging
import secrets
import time

from quartet.kernel.auth import Throttle
from quartet.kernel.auth.passwords import Passwords
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.sync.hubfiles.browser.service import HubBrowser
from quartet.sync.hubfiles.links import store
from quartet.sync.hubfiles.links.types import (
    CreatedLink,
    KnownLink,
    LinkedFile,
    LinkQuestion,
    NewLink,
    ShareLink,
)

log = logging.getLogger("quartet.sync.links")

TOKEN_BYTES = 24
# Expired links stay listed for this long.
KEPT_SECONDS = 30 * 24 * 3600


class ShareLinks:
    """Links by which people without an account download files of the hub."""

    def __init__(self, db: Database, browser: HubBrowser, throttle: Throttle) -> None:
        self._db = db
        self._browser = browser
        # Counts wrong tokens and passwords.
        self._throttle = throttle
        self._passwords = Passwords()

    async def create(self, user: str, folder_id: int, given: NewLink) -> CreatedLink:
        # Fails if the file does not exist.
        await self._browser.describe(folder_id, given.path)
        hashed = await self._passwords.hash(given.password) if given.password else None
        token, now = secrets.token_urlsafe(TOKEN_BYTES), int(time.time())
        times = (now, now + given.hours * 3600)

        def work(tx: Tx) -> ShareLink:
            store.forget(tx.conn, now - KEPT_SECONDS)
            return store.add(tx.conn, folder_id, given, user, times, _hash(token), hashed)

        link = await self._db.write(work)
        log.info("folder %d: link %d to %s created", folder_id, link.id, given.path or "all files")
        return CreatedLink(link, token)

    async def page(self) -> list[ShareLink]:
        return await self._db.read(store.all_links)

    async def revoke(self, ident: int) -> None:
        if not await self._db.write(lambda tx: store.remove(tx.conn, ident)):
            raise AppError(404, "link_not_found")
        log.info("link %d revoked", ident)

    async def look(self, client: str, asked: LinkQuestion) -> LinkedFile:
        """Return what a link leads to, if its password is given."""
        known = await self._known(client, asked.token)
        link = known.link
        if known.password_hash is not None and asked.password is None:
            return LinkedFile(link.expires_at, needs_password=True)
        await self._check_password(client, known, asked)
        entry = await self._browser.describe(link.folder_id, link.path)
        return LinkedFile(
            link.expires_at,
            known.password_hash is not None,
            entry.name,
            entry.is_folder,
            None if entry.is_folder else entry.size,
        )

    async def use(self, client: str, asked: LinkQuestion) -> ShareLink:
        """Count a download and return the link."""
        known = await self._known(client, asked.token)
        await self._check_password(client, known, asked)
        ident = known.link.id
        if not await self._db.write(lambda tx: store.count_download(tx.conn, ident)):
            raise AppError(410, "link_used_up")
        log.info("link %d used: download %d", ident, known.link.downloads + 1)
        return known.link

    async def _known(self, client: str, token: str) -> KnownLink:
        await self._throttle.check(client)
        known = await self._db.read(store.find, _hash(token))
        if known is None:
            await self._throttle.failed(client)
            raise AppError(404, "link_not_found")
        link = known.link
        if link.expires_at <= time.time():
            raise AppError(410, "link_expired")
        if link.most_downloads is not None and link.downloads >= link.most_downloads:
            raise AppError(410, "link_used_up")
        return known

    async def _check_password(self, client: str, known: KnownLink, asked: LinkQuestion) -> None:
        if known.password_hash is None:
            return
        # Counted first, so that parallel guesses count too.
        await self._throttle.attempt(client)
        if not await self._passwords.verify(known.password_hash, asked.password or ""):
            raise AppError(401, "link_password_wrong")
        await self._throttle.passed(client)


def _hash(token: str) -> str:
    """Return a plain hash, which is enough for a long random token."""
    return hashlib.sha256(token.encode()).hexdigest()
