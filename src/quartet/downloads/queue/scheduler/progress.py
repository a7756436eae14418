from collections.abc import Sequence
from math import ceil

from quartet.downloads.queue.download_task import DownloadTask
from quartet.downloads.queue.fetcher import Fetcher
from quartet.downloads.queue.scheduler.scheduler import Scheduler
from quartet.downloads.queue.types import Progress, ProgressItem, SegmentShown
from quartet.downloads.transfer import Snapshot


class ProgressMeter:
    def __init__(self, scheduler: Scheduler, fetcher: Fetcher) -> None:
        self._scheduler = scheduler
        self._fetcher = fetcher

    @property
    def active(self) -> int:
        torrents = sum(task.holds_slot for task in self._scheduler.torrents.tasks)
        return torrents + sum(task.holds_slot for task in self._scheduler.tasks)

    @property
    def speed(self) -> int:
        return round(self._fetcher.speed)

    @property
    def upload_speed(self) -> int:
        return self._scheduler.torrents.upload_speed

    def live(self) -> dict[int, int]:
        snapshots = self._fetcher.snapshots()
        return {id: each.bytes_done for id, each in snapshots.items()} | {
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
        items += self._scheduler.torrents.progress()
        speed = self.speed if items else 0
        return Progress(items, speed, _total_eta(items, speed), self.upload_speed)


def _bytes_done(task: DownloadTask, snapshot: Snapshot | None) -> int:
    return snapshot.bytes_done if snapshot else task.bytes_done


def _item(task: DownloadTask, snapshot: Snapshot | None) -> ProgressItem:
    done, speed = _bytes_done(task, snapshot), round(snapshot.speed) if snapshot else 0
    size = snapshot.size if snapshot else task.size
    return ProgressItem(
        id=task.item.id,
        bytes_done=done,
        size=size,
        speed=speed,
        phase=task.phase,
        eta=None if size is None else _eta(size - done, speed),
        segments=_segments(snapshot) if snapshot else [],
    )


def _segments(snapshot: Snapshot) -> list[SegmentShown]:
    spans = snapshot.segments if len(snapshot.segments) > 1 else ()
    return [SegmentShown(start, end, position - start) for start, position, end in spans]


def _total_eta(items: Sequence[ProgressItem], speed: int) -> int | None:
    """Return the time for all items, or None if the size of one is unknown."""
    if any(item.size is None for item in items):
        return None
    return _eta(sum((item.size or 0) - item.bytes_done for item in items), speed)


def _eta(left: int, speed: int) -> int | None:
    return ceil(max(left, 0) / speed) if speed > 0 else None
