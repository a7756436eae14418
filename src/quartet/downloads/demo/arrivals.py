"""Keeps the demo moving: long downloads come and go, and unanswered questions are asked again."""

from itertools import count

from quartet.downloads.demo.links import LONG_PACKAGES, long_package
from quartet.downloads.links.service import Links
from quartet.downloads.packages.service import Packages
from quartet.downloads.packages.types import Package, PageQuery
from quartet.downloads.queue.service import Queue
from quartet.kernel.demo import demo_loop
from quartet.kernel.supervisor import BackgroundTask

PAUSE_SECONDS = 60.0


class Arrivals:
    def __init__(self, links: Links, packages: Packages, queue: Queue) -> None:
        self._links = links
        self._packages = packages
        self._queue = queue
        # The first package of the demo is the first of the list.
        self._numbers = count(1)

    def loop(self) -> BackgroundTask:
        return demo_loop(PAUSE_SECONDS, self.run_once, "demo arrivals")

    async def run_once(self) -> None:
        page = await self._packages.page(PageQuery("queue", limit=None), {})
        own = [each for each in page.packages if each.source == "demo"]
        for package in own:
            await self._ask_again(package)
        long = [each for each in own if each.name in LONG_PACKAGES]
        # A package that the user has paused or changed stays as it is.
        if long and all(each.section == "finished" for each in long):
            for package in long:
                await self._queue.delete_package(package.id, files=True)
            await self._links.add_all([long_package(next(self._numbers))])

    async def _ask_again(self, package: Package) -> None:
        """Questions expire; without one, visitors would not see how they are answered."""
        failed = package.extract_error if package.extract == "failed" else None
        if failed and failed.code == "wrong_password":
            await self._packages.extract(package.id)
        for download in package.downloads:
            expired = download.error and download.error.code == "question_expired"
            if expired and download.status in ("queued", "failed"):
                # Ends the pause before the next attempt, if there is one.
                await self._queue.pause_download(download.id)
                await self._queue.resume_download(download.id)
