import asyncio

from quartet.downloads.hosters.crawler import Crawler
from quartet.downloads.hosters.store_folders import FolderLink
from quartet.downloads.signal import Signal
from quartet.kernel.supervisor import BackgroundTask

AT_ONCE = 4


def crawl_loop(crawler: Crawler, wake: Signal) -> BackgroundTask:
    """Crawl folder links, including those the previous process did not finish."""

    async def run() -> None:
        busy: set[int] = set()

        async def one(link: FolderLink) -> None:
            try:
                await crawler.crawl(link)
            finally:
                busy.discard(link.id)
                wake.set()

        async with asyncio.TaskGroup() as tasks:
            while True:
                for link in await crawler.waiting(AT_ONCE - len(busy), busy):
                    busy.add(link.id)
                    tasks.create_task(one(link))
                await wake.wait()

    return BackgroundTask("folders", run)
