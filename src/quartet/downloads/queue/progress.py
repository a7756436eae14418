"""How far everything is, from memory: the database hears of it when a state changes."""

from quartet.downloads.queue.fetching import Fetching
from quartet.downloads.queue.run import Run
from quartet.downloads.queue.scheduler import Scheduler
from quartet.downloads.queue.types import Progress, ProgressItem
from quartet.downloads.transfer import Snapshot


class Meter:
    def __init__(self, scheduler: Scheduler, fetching: Fetching) -> None:
        self._scheduler = scheduler
        self._fetching = fetching

    @property
    def active(self) -> int:
        return sum(run.holds_slot for run in self._scheduler.runs)

    @property
    def speed(self) -> int:
        return round(sum(each.speed for each in self._fetching.snapshots().values()))

    def live(self) -> dict[int, int]:
        snapshots = self._fetching.snapshots()
        return {
            run.item.id: _bytes_done(run, snapshots.get(run.item.id))
            for run in self._scheduler.runs
        }

    async def read(self) -> Progress:
        snapshots = self._fetching.snapshots()
        runs = list(self._scheduler.runs)
        for run in runs:
            if snapshot := snapshots.get(run.item.id):
                await run.learn(snapshot)
        items = [_item(run, snapshots.get(run.item.id)) for run in runs]
        return Progress(items, sum(item.speed for item in items))


def _bytes_done(run: Run, snapshot: Snapshot | None) -> int:
    return snapshot.bytes_done if snapshot else run.bytes_done


def _item(run: Run, snapshot: Snapshot | None) -> ProgressItem:
    return ProgressItem(
        id=run.item.id,
        bytes_done=_bytes_done(run, snapshot),
        size=snapshot.size if snapshot else run.size,
        speed=round(snapshot.speed) if snapshot else 0,
        phase=run.phase,
    )
