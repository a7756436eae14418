"""Finds links on web pages, and reports problems as those of a plugin."""

from typing import TYPE_CHECKING

from quartet.downloads.hosters.errors import Fatal, Offline, PluginError, Temporary
from quartet.downloads.request_headers import RequestHeaders
from quartet.downloads.server_logins.service import ServerLogins
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.transfer.pages import LARGEST_CONTAINER
from quartet.downloads.webpages.types import BadStatus, CrawlLimits, NotAPage, PageLinks
from quartet.kernel.errors import AppError, Problem, RedirectedElsewhere, problem_of
from quartet.kernel.service import Kernel

if TYPE_CHECKING:
    # Imported late, because it is not needed at startup.
    from quartet.downloads.webpages.ftp_folder import FtpFolders

_GONE = (404, 410)
_DENIED = (401, 403, 451)
_LIMITS = CrawlLimits()
_CONTAINER_SECONDS = 60.0


class WebPages:
    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        logins: ServerLogins,
        limits: CrawlLimits = _LIMITS,
    ) -> None:
        self._kernel = kernel
        self._logins = logins
        self._limits = limits

    async def links(self, url: str, depth: int, own: RequestHeaders) -> PageLinks:
        """Raises `NotAPage` if the link leads to a file or to a magnet link."""
        from quartet.downloads.webpages.crawl import PageCrawl

        ftp = self._ftp_folders()._replace(logins=await self._logins.for_links([url]))
        own = await self._logins.with_login(url, own)
        try:
            return await PageCrawl(self._kernel.outbound, url, depth, own, self._limits, ftp).run()
        except BadStatus as error:
            raise _refused(error.status) from None
        except AppError as error:
            if isinstance(error, RedirectedElsewhere) and error.is_magnet:
                raise NotAPage from None
            if error.code == "web_page":
                raise Offline(problem_of(error)) from None
            raise (Temporary if error.status >= 500 else Fatal)(problem_of(error)) from None

    async def container(self, url: str, own: RequestHeaders) -> bytes:
        """Return a container file, or the magnet link to which the address redirects.

        Raises `NotAPage` if the file is too large to be one.
        """
        own = await self._logins.with_login(url, own)
        try:
            async with self._kernel.outbound.stream(
                url,
                max_bytes=LARGEST_CONTAINER,
                own_headers=own.as_headers(),
                timeout=_CONTAINER_SECONDS,
                body_seconds=_CONTAINER_SECONDS,
            ) as answer:
                if answer.status != 200:
                    raise _refused(answer.status)
                return b"".join([piece async for piece in answer.chunks()])
        except AppError as error:
            if isinstance(error, RedirectedElsewhere) and error.is_magnet:
                return error.location.encode()
            if error.code == "too_large":
                raise NotAPage from None
            raise (Temporary if error.status >= 500 else Fatal)(problem_of(error)) from None

    def _ftp_folders(self) -> "FtpFolders":
        from quartet.downloads.transfer.curl import TrustFiles
        from quartet.downloads.transfer.redirects import RedirectPolicy
        from quartet.downloads.webpages.ftp_folder import FtpFolders

        kernel, settings = self._kernel, self._kernel.settings
        settings.known_hosts.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = str(settings.sftp_key) if settings.sftp_key else None
        trust = TrustFiles(known_hosts=str(settings.known_hosts), ssh_key=key)
        return FtpFolders(RedirectPolicy(kernel.allow_private), trust, kernel.proxy.address)


def _refused(status: int) -> PluginError:
    if status in _GONE:
        return Offline(Problem("file_offline", {"status": status}))
    if status in _DENIED:
        return Fatal(Problem("forbidden_by_server", {"status": status}))
    return Temporary(Problem("server_error", {"status": status}))
