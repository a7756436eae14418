"""Counts the slots that the running downloads leave free."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from quartet.downloads.bittorrent.magnets import is_torrent_host
from quartet.downloads.options.types import Options
from quartet.downloads.queue.download_task import DownloadTask
from quartet.downloads.queue.torrents.task import TorrentTask
from quartet.downloads.queue.types import ClaimedDownload

# Includes tasks that are verifying or moving and hold no slot, but not those that wait for the user
# or a countdown.
MAX_TASKS = 100
# More downloads of one host do not start before some of these were answered.
MAX_WAITING_PER_HOST = 20
# How many downloads may run that were started without a free slot: a package can have thousands.
MAX_STARTED_NOW = 10


class Slots(NamedTuple):
    """How many downloads may start now, in total and per host."""

    free: int
    per_host: int
    # Running downloads by host.
    busy: dict[str, int]
    # Tasks that have not ended yet; their downloads cannot start again before that.
    leaving: frozenset[int]
    # Hosts at which nothing starts, independent of `per_host`.
    closed: frozenset[str] = frozenset()
    # For downloads that are started now, which need no free slot.
    beyond: int = 0

    def is_full(self, host: str, running: int) -> bool:
        # One task runs all files of a torrent.
        if host in self.closed or (running and is_torrent_host(host)):
            return True
        return bool(self.per_host and running >= self.per_host)

    def full(self, busy: Mapping[str, int]) -> frozenset[str]:
        """Return the hosts at which no further download may start."""
        full = (host for host, running in busy.items() if self.is_full(host, running))
        return self.closed.union(full)

    def after(self, started: Collection[ClaimedDownload]) -> "Slots":
        """Return the slots that are left when these downloads have started."""
        return self._replace(
            free=self.free - len(started),
            busy=Counter(self.busy) + Counter(each.host for each in started),
            leaving=self.leaving.union(each.id for each in started),
        )


def free_slots(
    options: Options, tasks: Collection[DownloadTask], torrents: Collection[TorrentTask]
) -> Slots:
    holding = [task.item.host for task in tasks if task.holds_slot]
    holding += [task.host for task in torrents if task.holds_slot]
    waiting = Counter(task.item.host for task in tasks if task.waiting)
    unblocked = MAX_TASKS - (len(tasks) - waiting.total())
    started_now = sum(task.holds_slot and task.item.started_now for task in tasks)
    started_now += sum(task.holds_slot and task.started_now for task in torrents)
    return Slots(
        free=min(options.max_parallel - len(holding), unblocked),
        per_host=options.per_host,
        # A hoster that limits parallel downloads counts one that waits as well.
        busy=Counter(holding) + waiting,
        # A running torrent starts its other files itself.
        closed=frozenset(
            host for host, count in waiting.items() if count >= MAX_WAITING_PER_HOST
        ).union(task.host for task in torrents),
        leaving=frozenset(task.item.id for task in tasks),
        beyond=min(MAX_STARTED_NOW - started_now, unblocked),
    )
