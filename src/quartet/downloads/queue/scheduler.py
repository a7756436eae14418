"""Follows the list: ends what it no longer wants, begins what it wants next."""

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Coroutine, Mapping
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Any

from quartet.downloads.options.schedule import limit_at, seconds_to_change
from quartet.downloads.queue import store
from quartet.downloads.queue.desk import Desk, Leftovers
from quartet.downloads.queue.finishing import part_path
from quartet.downloads.queue.run import Run, Tools
from quartet.downloads.queue.store_arrivals import unsettled
from quartet.downloads.queue.store_claims import claim
from quartet.downloads.queue.syncing import this_boot
from quartet.downloads.queue.types import Claimed, Landed, Look, Lost, Slots
from quartet.downloads.queue.upcoming import Upcoming
from quartet.downloads.signal import Signal
from quartet.downloads.transfer import discard
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database
from quartet.kernel.files import TEMPORARY_PREFIX

# With those whose transfer is over, and which are checked or moved without a slot.
MOST_RUNS = 100
# What does not end by itself within this time is cut off.
CLOSE_SECONDS = 3.0


class Scheduler:
    def __init__(self, db: Database, desk: Desk, tools: Tools) -> None:
        self._db = db
        self._desk = desk
        self._tools = tools
        self._runs: dict[int, Run] = {}
        self._running: dict[int, asyncio.Task[None]] = {}
        self._others: set[asyncio.Task[None]] = set()
        # What the list said last; true until something wakes us, or its time is over.
        self._look: Look | None = None
        self._next_look = inf
        self._upcoming = Upcoming(db)
        # Set when the first run begins after a quiet time.
        self.began = Signal()

    @property
    def runs(self) -> Collection[Run]:
        return self._runs.values()

    async def once(self) -> float | None:
        """One look at the list; gives the seconds after which another is due by itself."""
        for left in self._desk.leftovers():
            self._beside(self._clear_away(left))
        now = now_ms()
        # Until the end there is none: after a failure one begins with a look.
        look, self._look = self._look, None
        seconds = self._next_look - time.monotonic()
        if look is None or self._desk.was_woken() or seconds <= 0:
            self._upcoming.forget()
            look = await self._db.read(store.look, list(self._runs), now)
            self._next_look = time.monotonic() + _due(look)
            await self._follow(look.running)
            self._tools.fetching.limit(limit_at(look.options, _now()), look.limits)
        begun = await self._begin_more(look, now) if look.due else []
        if any(item.limit or item.package_limit for item in begun):
            self._desk.wake()
        self._look = look
        seconds = self._next_look - time.monotonic()
        return None if seconds == inf else max(seconds, 0.0)

    async def _follow(self, listed: Mapping[int, Lost]) -> None:
        for id, run in self._runs.items():
            if id not in listed:
                run.leave()
        for id, lost in listed.items():
            if id not in self._runs:
                await self._recover(lost)
                self._desk.wake()

    async def _recover(self, lost: Lost) -> None:
        """The process ended while it ran: it goes on, unless its file had just arrived."""
        if lost.file is not None and await asyncio.to_thread(self._has_arrived, lost, lost.file):
            if not (await self._tools.arrivals.end(lost.id)).settled:
                landed = Landed(lost.id, lost.package_id, lost.file, lost.hash_ok)
                self._beside(self._tools.following.catch_up([landed]))
        else:
            await self._tools.writes.do(lambda tx: store.wait(tx.conn, lost.id, None))

    def _has_arrived(self, lost: Lost, file: str) -> bool:
        part, done = part_path(self._tools.tmp, lost.id), self._tools.done
        if not done.has_taken(part, file, lost.size):
            return False
        discard(part)
        if lost.unsynced == this_boot():
            return True
        # The machine went down, and nobody knows what its disk wrote: it is fetched once more.
        done.remove(file)
        return False

    async def _begin_more(self, look: Look, now: int) -> list[Claimed]:
        options = look.options
        holding = [run.item.host for run in self._runs.values() if run.holds_slot]
        slots = Slots(
            free=min(options.max_parallel - len(holding), MOST_RUNS - len(self._runs)),
            per_host=options.per_host,
            busy=Counter(holding),
            leaving=frozenset(self._runs),
        )
        if slots.free <= 0:
            return []
        picked = await self._upcoming.pick(slots, now)
        if not picked:
            return []
        claimed = await self._tools.writes.do(lambda tx: claim(tx.conn, picked))
        for item in claimed:
            self._begin(Run(item, self._tools, options, self._desk.slot_free))
        return claimed

    def _begin(self, run: Run) -> None:
        id = run.item.id
        self._runs[id] = run
        self._running[id] = asyncio.create_task(run.go(), name=f"download-{id}")
        self._running[id].add_done_callback(lambda _task: self._ended(id))
        self.began.set()

    def _ended(self, id: int) -> None:
        crowded = len(self._runs) >= MOST_RUNS
        run = self._runs.pop(id)
        del self._running[id]
        # Otherwise its place was taken already when its transfer had ended. What has failed may
        # have a time at which it is tried again, written down only now.
        if run.holds_slot or run.unwanted or crowded or not run.landed:
            self._desk.wake()

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    async def _clear_away(self, left: Leftovers) -> None:
        """What deleted downloads leave, once nobody writes to it any more."""
        ids = set(left.ids)
        while leaving := [self._running[id] for id in ids & self._running.keys()]:
            await asyncio.wait(leaving)

        def remove() -> None:
            for id in ids:
                discard(part_path(self._tools.tmp, id))
            for file in left.files:
                self._tools.done.remove(file)

        await asyncio.to_thread(remove)

    async def sweep(self) -> None:
        """Sees to what a process that ended left undone, and removes what it left lying."""
        self._beside(self._tools.following.catch_up(await self._db.read(unsettled)))
        parts = await asyncio.to_thread(_parts, self._tools.tmp)
        known = await self._db.read(store.known, parts.keys())
        for id in parts.keys() - known:
            await asyncio.to_thread(discard, parts[id])

    async def close(self) -> None:
        """Nothing is lost: what runs goes on after the next start."""
        for run in self._runs.values():
            run.halt()
        await self._tools.fetching.stop()
        if tasks := {*self._running.values(), *self._others}:
            _, stuck = await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
            for task in stuck:
                task.cancel()
        await self._tools.writes.settle()


def _now() -> datetime:
    # Schedules are written for the clock on the wall.
    return datetime.now().astimezone()


def _due(look: Look) -> float:
    """Seconds."""
    waits = [seconds_to_change(look.options.schedule, _now())]
    if look.retry_at is not None:
        waits.append(max(0.0, look.retry_at / 1000 - time.time()))
    return min((wait for wait in waits if wait is not None), default=inf)


def _parts(tmp: Path) -> dict[int, Path]:
    """Part files by the id of their download, once nothing half-written lies beside them."""
    for path in tmp.glob(f"{TEMPORARY_PREFIX}*"):
        path.unlink()
    found = {path.name.partition(".")[0]: path for path in tmp.glob("*.part*")}
    return {int(id): part_path(tmp, int(id)) for id in found if id.isdecimal()}
