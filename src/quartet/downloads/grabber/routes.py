from litestar import post

from quartet.downloads.grabber.service import Grabber
from quartet.downloads.grabber.types import Grouped, Merge, MovedTo, MoveLinks, RemovedLinks
from quartet.kernel.web import Injected, JSONBody


@post("/api/packages/merge", status_code=204)
async def merge_packages(data: JSONBody[Merge], collector: Injected[Grabber]) -> None:
    """Merge packages of the link grabber into the first one.

    409 `torrent_indivisible` if one of them is a torrent.
    """
    await collector.merge(data.ids)


@post("/api/packages/group", status_code=200)
async def group_links(collector: Injected[Grabber]) -> Grouped:
    """Group all links of the link grabber by name: parts, episodes, mirrors."""
    return Grouped(await collector.group())


@post("/api/links/move", status_code=200)
async def move_links(data: JSONBody[MoveLinks], collector: Injected[Grabber]) -> MovedTo:
    """Move links of the link grabber to another package, or to a new one without `packageId`."""
    return MovedTo(await collector.move(data))


@post("/api/links/remove-offline", status_code=200, audit="deleted")
async def remove_offline(collector: Injected[Grabber]) -> RemovedLinks:
    """Remove all links from the link grabber that are offline."""
    return RemovedLinks(await collector.remove_offline())


ROUTES = [merge_packages, group_links, move_links, remove_offline]
