import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence

from quartet.downloads.links.service import Links
from quartet.downloads.links.types import LinkInfo, UncheckedLink
from quartet.downloads.signal import Signal
from quartet.kernel.supervisor import BackgroundTask

log = logging.getLogger("quartet.downloads.links")

MAX_PARALLEL = 4
BATCH = 64
# How often results are stored and shown while slow servers are still being waited for.
SHOW_SECONDS = 0.5


# Checks one link.
CheckLink = Callable[[UncheckedLink], Awaitable[LinkInfo]]


def check_loop(check_link: CheckLink, links: Links, wake: Signal) -> BackgroundTask:
    async def run() -> None:
        while True:
            while waiting := await links.unchecked(BATCH):
                await CheckRound(check_link, links).all(waiting)
            await wake.wait()

    return BackgroundTask("online-check", run)


class CheckRound:
    """Checks a batch of links, several at a time."""

    def __init__(self, check_link: CheckLink, links: Links) -> None:
        self._check_link = check_link
        self._links = links
        self._results: list[tuple[int, LinkInfo]] = []
        self._stored_at = asyncio.get_running_loop().time()

    async def all(self, waiting: Sequence[UncheckedLink]) -> None:
        rest = iter(waiting)
        async with asyncio.TaskGroup() as workers:
            for _ in range(MAX_PARALLEL):
                workers.create_task(self._work(rest))
        await self._store()

    async def _work(self, rest: Iterator[UncheckedLink]) -> None:
        for link in rest:
            self._results.append((link.id, await self._check(link)))
            if asyncio.get_running_loop().time() - self._stored_at > SHOW_SECONDS:
                await self._store()

    async def _check(self, link: UncheckedLink) -> LinkInfo:
        try:
            return await self._check_link(link)
        except Exception:
            # Count it as checked, or it would come first again and block all others.
            log.exception("check of link %d failed", link.id)
            return LinkInfo("unknown")

    async def _store(self) -> None:
        known, self._results = self._results, []
        self._stored_at = asyncio.get_running_loop().time()
        if known:
            await self._links.checked(known)
