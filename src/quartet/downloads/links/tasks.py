import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence

from quartet.downloads.links.service import Links
from quartet.downloads.links.types import Found, Unchecked
from quartet.downloads.signal import Signal
from quartet.kernel.supervisor import BackgroundTask

log = logging.getLogger("quartet.downloads.links")

AT_ONCE = 4
BATCH = 64
# What is known is shown after this time, also while a slow server is still waited for.
SHOW_SECONDS = 0.5


# Asks about one link; hosters have their own ways.
Look = Callable[[Unchecked], Awaitable[Found]]


def check_loop(look: Look, links: Links, wake: Signal) -> BackgroundTask:
    async def run() -> None:
        while True:
            while waiting := await links.unchecked(BATCH):
                await Checking(look, links).all(waiting)
            await wake.wait()

    return BackgroundTask("online-check", run)


class Checking:
    """One round over some links, several at a time."""

    def __init__(self, look: Look, links: Links) -> None:
        self._look = look
        self._links = links
        self._known: list[tuple[int, Found]] = []
        self._shown = asyncio.get_running_loop().time()

    async def all(self, waiting: Sequence[Unchecked]) -> None:
        rest = iter(waiting)
        async with asyncio.TaskGroup() as workers:
            for _ in range(AT_ONCE):
                workers.create_task(self._work(rest))
        await self._show()

    async def _work(self, rest: Iterator[Unchecked]) -> None:
        for link in rest:
            self._known.append((link.id, await self._found(link)))
            if asyncio.get_running_loop().time() - self._shown > SHOW_SECONDS:
                await self._show()

    async def _found(self, link: Unchecked) -> Found:
        try:
            return await self._look(link)
        except Exception:
            # It would be the first again next time, and all others would wait behind it.
            log.exception("link %d could not be looked at", link.id)
            return Found("unknown")

    async def _show(self) -> None:
        known, self._known = self._known, []
        self._shown = asyncio.get_running_loop().time()
        if known:
            await self._links.checked(known)
