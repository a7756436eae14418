import logging
from collections import Counter
from collections.abc import Mapping, Sequence

from quartet.downloads.bittorrent.store import info_hashes
from quartet.downloads.events import Changed
from quartet.downloads.grabber import store
from quartet.downloads.grabber.arranging import drop_empty, move_links
from quartet.downloads.grabber.grouping import group_name, grouped
from quartet.downloads.grabber.types import CollectedLink, MoveLinks
from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.packages.service import require_found
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.grabber")


class Grabber:
    """Arranges the links of the link grabber into packages."""

    def __init__(self, kernel: Kernel[DownloadsSettings]) -> None:
        self._db = kernel.db

    async def merge(self, ids: Sequence[int]) -> None:
        """Move the links of all packages to the first one."""
        first, *others = dict.fromkeys(ids)

        def work(tx: Tx) -> None:
            _require_divisible(tx, [first, *others])
            move_links(tx, store.links_of(tx.conn, others), first)

        await self._db.write(work)
        log.info("packages %s merged into package %d", others, first)

    async def move(self, given: MoveLinks) -> int:
        """Move links to a package, or to a new one; return its id."""

        def work(tx: Tx) -> int:
            ids = list(dict.fromkeys(given.download_ids))
            links = store.links(tx.conn, ids)
            require_found(
                len(links) == len(ids), ids=sorted(set(ids) - {each.id for each in links})
            )
            sources = list(dict.fromkeys(each.package_id for each in links))
            target = given.package_id
            _require_divisible(tx, [*sources, *([target] if target else [])])
            if target is None:
                target = _new_package(tx, links, clean_text(given.package_name or ""))
            move_links(tx, [each for each in links if each.package_id != target], target)
            return target

        target = await self._db.write(work)
        log.info("%d links moved to package %d", len(given.download_ids), target)
        return target

    async def group(self) -> int:
        """Give all links whose names belong together a package; return how many there are."""

        def work(tx: Tx) -> int:
            packages = store.all_collectors(tx.conn)
            torrents = info_hashes(tx.conn, packages)
            links = store.links_of(tx.conn, [id for id in packages if id not in torrents])
            groups = grouped((link, link.name) for link in links)
            sizes = Counter(link.package_id for link in links)
            for members in groups:
                _group(tx, members, sizes)
            return len(groups) + len(torrents)

        count = await self._db.write(work)
        log.info("links grouped into %d packages", count)
        return count

    async def remove_offline(self) -> int:
        """Delete all offline links; return their number."""

        def work(tx: Tx) -> int:
            gone = store.delete_offline(tx.conn)
            drop_empty(tx, {each.package_id for each in gone})
            tx.emit(Changed("downloads"))
            return len(gone)

        count = await self._db.write(work)
        log.info("%d offline links removed", count)
        return count


def _require_divisible(tx: Tx, package_ids: Sequence[int]) -> None:
    """Refuse packages of the queue, and torrents, whose files stay together."""
    missing = set(package_ids) - store.collectors(tx.conn, package_ids)
    require_found(not missing, ids=sorted(missing))
    if info_hashes(tx.conn, package_ids):
        raise AppError(409, "torrent_indivisible")


def _group(tx: Tx, members: Sequence[CollectedLink], sizes: Mapping[int, int]) -> None:
    """Move the links to one package: to the one that has no others, or to a new one."""
    target = members[0].package_id
    if sizes[target] > sum(each.package_id == target for each in members):
        target = _new_package(tx, members, "")
    move_links(tx, [each for each in members if each.package_id != target], target)


def _new_package(tx: Tx, links: Sequence[CollectedLink], name: str) -> int:
    name = name or group_name([each.name for each in links])
    return store.copy_package(tx.conn, links[0].package_id, name, safe_name(name))
