import asyncio

from quartet.downloads.hosters.crawling import Crawling
from quartet.downloads.hosters.store_folders import FolderLink
from quartet.downloads.signal import Signal
from quartet.kernel.supervisor import BackgroundTask

AT_ONCE = 4


def crawl_loop(crawling: Crawling, wake: Signal) -> BackgroundTask:
    """What was being looked into when the process ended is looked into again."""

    async def run() -> None:
        busy: set[int] = set()

        async def one(link: FolderLink) -> None:
            try:
                await crawling.crawl(link)
            finally:
                busy.discard(link.id)
                wake.set()

        async with asyncio.TaskGroup() as tasks:
            while True:
                for link in await crawling.waiting(AT_ONCE - len(busy), busy):
                    busy.add(link.id)
                    tasks.create_task(one(link))
                await wake.wait()

    return BackgroundTask("folders", run)
