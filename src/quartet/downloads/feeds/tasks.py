from quartet.downloads.feeds.service import Feeds
from quartet.downloads.signal import Signal
from quartet.kernel.supervisor import BackgroundTask


def feeds_loop(feeds: Feeds, wake: Signal) -> BackgroundTask:
    async def run() -> None:
        while True:
            await wake.wait(await feeds.read_due())

    return BackgroundTask("feeds", run)
