from urllib.parse import urlsplit

from quartet.downloads.clicknload.decryption import decrypted
from quartet.downloads.clicknload.keys import Keys
from quartet.downloads.clicknload.types import Action, Form
from quartet.downloads.links.service import Links
from quartet.downloads.links.types import Added, NewLinks
from quartet.kernel.errors import AppError

SOURCE = "cnl"


class ClickNLoad:
    """Adds links sent by pages, always to the link grabber: a page must not start downloads."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self._keys = Keys()

    async def submit(self, action: Action, form: Form, referer: str = "") -> Added:
        text = form.urls if action == "add" else await self._decrypted(form)
        page = _page(form.source) or _page(referer)
        given = NewLinks(
            links=text,
            package_name=form.package.strip() or _name(page),
            passwords=form.passwords,
            source=SOURCE,
            source_page=page,
            referer=_page(form.referer),
            cookies=form.cookies,
        )
        return await self._links.add(given)

    async def _decrypted(self, form: Form) -> str:
        if not form.crypted.strip() or not form.jk.strip():
            raise AppError(400, "no_links")
        return decrypted(form.crypted, await self._keys.key(form.jk))


def _page(address: str) -> str | None:
    """Return the address if it is a web page, because the UI shows it as a link."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return None
    return parts.geturl() if parts.scheme in ("http", "https") and parts.hostname else None


def _name(page: str | None) -> str:
    host = urlsplit(page or "").hostname
    return f"Click'n'Load {host}" if host else "Click'n'Load"
