from collections.abc import Awaitable, Callable

from quartet.downloads.queue.arrivals import Arrivals
from quartet.downloads.queue.fetching import Fetching
from quartet.downloads.queue.finishing import DoneFolder
from quartet.downloads.queue.following import Following
from quartet.downloads.queue.run import Tools
from quartet.downloads.queue.syncing import Syncing
from quartet.downloads.queue.types import Claimed, Source
from quartet.downloads.queue.verifying import Verifying
from quartet.downloads.queue.writes import Writes
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.transfer import Engine, Outcome
from quartet.kernel.db import Tx
from quartet.kernel.service import Kernel


def tools_of(
    kernel: Kernel[DownloadsSettings],
    arrived: Callable[[Tx, int], None],
    resolve: Callable[[Claimed], Awaitable[Source]],
) -> Tools:
    settings = kernel.settings

    def engine(on_done: Callable[[Outcome], None]) -> Engine:
        settings.tmp_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Engine(on_done, allow_private=kernel.allow_private)

    done = DoneFolder(settings.done_folder)
    writes = Writes(kernel.db, kernel.events)
    verifying = Verifying(kernel.db, writes, done)
    fetching = Fetching(engine)
    arrivals = Arrivals(kernel.db, writes, done, arrived, more=lambda: fetching.busy)
    return Tools(
        writes=writes,
        fetching=fetching,
        verifying=verifying,
        done=done,
        arrivals=arrivals,
        following=Following(kernel.db, writes, verifying, arrivals, arrived),
        syncing=Syncing(kernel.db, writes, done),
        tmp=settings.tmp_folder,
        resolve=resolve,
    )
