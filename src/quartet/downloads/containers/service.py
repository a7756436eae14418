import asyncio
from collections.abc import Callable, Sequence
from urllib.parse import unquote, urlsplit

import msgspec

from quartet.downloads.containers.detect import kind_of, title_of
from quartet.downloads.containers.store import set_details
from quartet.downloads.containers.types import (
    AddedPackage,
    ContainerPackage,
    Opened,
    RefusedFile,
)
from quartet.downloads.links.parse import links_in
from quartet.downloads.links.service import Links, PageOrigin
from quartet.downloads.links.types import AddedTorrent, NewLinks
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.transfer.pages import LARGEST_CONTAINER
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, problem_of
from quartet.kernel.service import Kernel

LARGEST_FILE = LARGEST_CONTAINER
SOURCE = "container"
_NOTHING = NewLinks(links="", source=SOURCE)


class Containers:
    """Adds the packages of container files and link lists to the link grabber."""

    def __init__(self, kernel: Kernel[DownloadsSettings], links: Links) -> None:
        self._kernel = kernel
        self._links = links

    async def open(self, files: Sequence[tuple[str, bytes]]) -> Opened:
        """Add all readable files; raises an error only if none could be read."""
        if not files:
            raise AppError(400, "no_links")
        opened = Opened([], [])
        errors: list[AppError] = []
        for name, content in files:
            try:
                ids = await self.add(name, content)
            except AppError as error:
                errors.append(error)
                opened.refused.append(RefusedFile(name, problem_of(error)))
            else:
                opened.packages.extend(AddedPackage(id, name) for id in ids)
        if not opened.packages:
            raise errors[0]
        return opened

    async def add_linked(
        self, link: PageOrigin, content: bytes, also: Callable[[Tx], None]
    ) -> None:
        """Add the packages of the file behind a link, to the same view."""
        given = msgspec.structs.replace(await self._links.inherited(link), source=SOURCE)
        if content.startswith(b"magnet:"):
            magnet = msgspec.structs.replace(given, links=content.decode("utf-8", "replace"))
            await self._links.add_all([magnet], also)
            return
        await self.add(unquote(urlsplit(link.url).path.rpartition("/")[2]), content, also, given)

    async def add(
        self,
        name: str,
        content: bytes,
        also: Callable[[Tx], None] | None = None,
        given: NewLinks = _NOTHING,
    ) -> list[int]:
        """Add all packages of one file or none; `also` runs in the same transaction.

        `given` takes precedence over what the file says about its packages.
        """
        if len(content) > LARGEST_FILE:
            raise AppError(413, "too_large", limit=LARGEST_FILE)
        if await asyncio.to_thread(kind_of, name, content) == "torrent":
            return [(await self._links.add_torrent(AddedTorrent(content), given, also)).package_id]
        packages = await self._packages(name, content)
        if not packages:
            raise AppError(400, "no_links")
        new = [_new_links(each, given) for each in packages]
        details = {url: each for package in packages for url, each in package.details.items()}

        def complete(tx: Tx, package_id: int) -> None:
            set_details(tx.conn, package_id, details)

        added = await self._links.add_all(new, also, complete if details else None)
        return [each.package_id for each in added]

    async def _packages(self, name: str, content: bytes) -> list[ContainerPackage]:
        """Return the packages that contain links, parsed in threads because files may be large."""
        # Imported here, because few files are opened and most formats are rare.
        from quartet.downloads.containers.formats import packages_in

        kind = await asyncio.to_thread(kind_of, name, content)
        if kind == "dlc":
            from quartet.downloads.containers.dlc import packages_of_dlc

            kernel = self._kernel
            found = await packages_of_dlc(content, kernel.settings, kernel.outbound)
        else:
            found = await asyncio.to_thread(packages_in, kind, content)
        named = [each._replace(name=each.name or title_of(name)) for each in found]
        return await asyncio.to_thread(lambda: [each for each in named if links_in(each.links)])


def _new_links(package: ContainerPackage, given: NewLinks) -> NewLinks:
    return msgspec.structs.replace(
        given,
        links=package.links,
        package_name=given.package_name or package.name,
        passwords=list(package.passwords) or None,
        start=given.start or package.start,
    )
