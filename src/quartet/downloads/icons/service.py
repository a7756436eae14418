import asyncio
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from quartet.downloads.events import Changed
from quartet.downloads.icons.types import HostIcons, Icon
from quartet.downloads.options.store import options
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel

if TYPE_CHECKING:
    from quartet.downloads.icons.icon_folder import IconFolder

_AT_ONCE = 2


class Icons:
    """Icons of the hosts that occur in the service; no others are ever asked for one.

    `account_hosts` returns the hosts of the accounts; `wake` starts `fetch_missing` in the
    background.
    """

    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        account_hosts: Callable[[], Awaitable[list[str]]],
        wake: Callable[[], None],
    ) -> None:
        self._kernel = kernel
        self._db = kernel.db
        self._account_hosts = account_hosts
        self._wake = wake
        # Where the web servers of hosts are that have no address of their own, such as in the demo.
        self.origins: dict[str, str] = {}

    @cached_property
    def _folder(self) -> "IconFolder":
        # Imported here, because it is not needed until a page asks for icons.
        from quartet.downloads.icons.icon_folder import IconFolder

        return IconFolder(self._kernel.settings.data / "host-icons")

    async def shown(self) -> HostIcons:
        """Return what is known about icons, and look for those of new hosts in the background."""
        if not await self._is_on():
            return HostIcons({})
        self._wake()
        return HostIcons(await asyncio.to_thread(self._folder.hosts))

    async def icon(self, host: str) -> Icon:
        from quartet.downloads.icons.pictures import media_type

        picture = await asyncio.to_thread(self._folder.read, host)
        kind = media_type(picture)
        if kind is None:
            raise AppError(404, "not_found", host=host)
        return Icon(picture, kind)

    async def fetch_missing(self) -> None:
        """Ask the hosts that were not asked yet, or long ago."""
        if not await self._is_on():
            return
        from quartet.downloads.icons import icon_folder, store

        accounts = await self._account_hosts()
        links = await self._db.read(store.hosts, icon_folder.MOST_HOSTS)
        due = await asyncio.to_thread(self._folder.due, [*accounts, *links])
        slots = asyncio.Semaphore(_AT_ONCE)

        async def fetch(host: str) -> None:
            async with slots:
                if await self._is_on():
                    hoster = f"https://{host}" if host in accounts else None
                    await self._fetch(host, await self._origin(host, links.get(host)) or hoster)

        async with asyncio.TaskGroup() as tasks:
            for host in due:
                tasks.create_task(fetch(host))

    async def _fetch(self, host: str, origin: str | None) -> None:
        from quartet.downloads.icons.fetch import fetch_icon

        picture = await fetch_icon(self._kernel.outbound, origin) if origin else b""
        await asyncio.to_thread(self._folder.write, host, picture)
        if picture:
            self._kernel.events.publish(Changed("icons"))

    async def _origin(self, host: str, download_id: int | None) -> str | None:
        """Return where the web server of the host is, or None if no web address is known there."""
        from quartet.downloads.icons import store

        if host in self.origins:
            return self.origins[host]
        link = await self._db.read(store.link, host, download_id)
        parts = urlsplit(link or "")
        is_web = parts.scheme in ("http", "https")
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if is_web else None

    async def _is_on(self) -> bool:
        return (await self._db.read(options)).host_icons
