from litestar import get, patch, post
from litestar.params import FromPath

from quartet.downloads.torrents.service import TorrentService
from quartet.downloads.torrents.types import TorrentChange, TorrentDetails
from quartet.kernel.web import Injected, JSONBody


@get("/api/torrents/{package_id:int}")
async def read_torrent(
    package_id: FromPath[int], torrents: Injected[TorrentService]
) -> TorrentDetails:
    """Return the figures, peers and trackers of a package that is a torrent."""
    return await torrents.details(package_id)


@patch("/api/torrents/{package_id:int}", status_code=204)
async def change_torrent(
    package_id: FromPath[int], data: JSONBody[TorrentChange], torrents: Injected[TorrentService]
) -> None:
    """Select the files of a torrent, or change its trackers, upload limit or order."""
    await torrents.change(package_id, data)


@post("/api/torrents/{package_id:int}/announce", status_code=204)
async def announce_torrent(package_id: FromPath[int], torrents: Injected[TorrentService]) -> None:
    """Ask the trackers of a running torrent for peers now."""
    await torrents.announce(package_id)


@post("/api/torrents/{package_id:int}/recheck", status_code=204)
async def recheck_torrent(package_id: FromPath[int], torrents: Injected[TorrentService]) -> None:
    """Compare the files of a torrent with their hashes; what is damaged is fetched again."""
    await torrents.recheck(package_id)


ROUTES = [read_torrent, change_torrent, announce_torrent, recheck_torrent]
