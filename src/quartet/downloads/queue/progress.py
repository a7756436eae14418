from quartet.downloads.queue.download_task import DownloadTask
from quartet.downloads.queue.fetcher import Fetcher
from quartet.downloads.queue.scheduler import Scheduler
from quartet.downloads.queue.types import Progress, ProgressItem
from quartet.downloads.transfer import Snapshot


class ProgressMeter:
    def __init__(self, scheduler: Scheduler, fetcher: Fetcher) -> None:
        self._scheduler = scheduler
        self._fetcher = fetcher

    @property
    def active(self) -> int:
        return sum(task.holds_slot for task in self._scheduler.tasks)

    @property
    def speed(self) -> int:
        return round(sum(each.speed for each in self._fetcher.snapshots().values()))

    def live(self) -> dict[int, int]:
        snapshots = self._fetcher.snapshots()
        return {
            task.item.id: _bytes_done(task, snapshots.get(task.item.id))
            for task in self._scheduler.tasks
        }

    async def read(self) -> Progress:
        snapshots = self._fetcher.snapshots()
        tasks = list(self._scheduler.tasks)
        for task in tasks:
            if snapshot := snapshots.get(task.item.id):
                await task.store_details(snapshot)
        items = [_item(task, snapshots.get(task.item.id)) for task in tasks]
        return Progress(items, sum(item.speed for item in items))


def _bytes_done(task: DownloadTask, snapshot: Snapshot | None) -> int:
    return snapshot.bytes_done if snapshot else task.bytes_done


def _item(task: DownloadTask, snapshot: Snapshot | None) -> ProgressItem:
    return ProgressItem(
        id=task.item.id,
        bytes_done=_bytes_done(task, snapshot),
        size=snapshot.size if snapshot else task.size,
        speed=round(snapshot.speed) if snapshot else 0,
        phase=task.phase,
    )
