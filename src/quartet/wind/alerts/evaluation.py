"""Looks through all alarms after each run; what is new waits in the database to be told."""

import asyncio
import logging
import time as clocks
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Database, Tx
from quartet.wind.alerts import store_windows as store
from quartet.wind.alerts.local_time import HOUR
from quartet.wind.alerts.sameness import NEAR, Look, Told, decide
from quartet.wind.alerts.store_windows import News, Placed, Watched
from quartet.wind.alerts.types import Evaluated, Window
from quartet.wind.grid.catalogue import Catalogue

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun

log = logging.getLogger("quartet.wind.alerts")

# So many at a time: memory stays flat however many there are.
AT_ONCE = 2000
# An older run tells nobody anything, one of the future comes from a clock that is wrong.
_OLDEST = 24 * HOUR
_AHEAD = HOUR
_HISTORY_SECONDS = 90 * 86400

Found = Mapping[int, Sequence[Window]]


class Evaluation:
    """Safe to be cut short anywhere, to be repeated, and to be done twice at once.

    Windows and messages are written in one transaction that holds their alarms, and their keys
    allow each only once. That a run is done is written last.
    """

    def __init__(
        self, db: Database, catalogue: Catalogue, clock: Callable[[], float] = clocks.time
    ) -> None:
        self._db = db
        self._catalogue = catalogue
        self._clock = clock

    async def look(self) -> int:
        """Every run that is new, and alarms that were changed; gives how many windows are told."""
        done = await self._db.read(store.evaluated)
        changed = await self._db.read(store.models_with_changes)
        told = 0
        for model in list(self._catalogue.models):
            run = self._catalogue.newest(model)
            if run is None or not -_OLDEST < run.run - self._clock() <= _AHEAD:
                continue
            if model not in done or done[model].run < run.run:
                told += await self.evaluate(run)
            elif model in changed:
                told += (await self._go_through(run, changed=True))[1]
        return told

    async def evaluate(self, run: "StoredRun") -> int:
        begun, now = clocks.perf_counter(), int(self._clock())
        count, told = await self._go_through(run, changed=False)
        seconds = round(clocks.perf_counter() - begun, 3)
        done = Evaluated(run.model, run.run, now, seconds, count, told)
        # By the time of the run: a clock that is years ahead must not forget what was told.
        oldest = run.run - _HISTORY_SECONDS

        def work(tx: Tx) -> None:
            store.put_evaluated(tx.conn, done)
            store.prune(tx.conn, oldest)

        await self._db.write(work)
        log.info("%s: %d alarms, %d windows told, %.1f s", run.model, count, told, seconds)
        return told

    async def _go_through(self, run: "StoredRun", *, changed: bool) -> tuple[int, int]:
        places = await self._db.read(store.placed, run.model, changed=changed)
        # From south to north, as the grid lies in its file.
        places.sort(key=lambda place: (place.lat, place.lon))
        told = 0
        for some in in_batches(places, AT_ONCE):
            told += await self._batch(run, some)
        return len(places), told

    async def _batch(self, run: "StoredRun", places: list[Placed]) -> int:
        now = self._clock()
        watched = await self._db.read(store.watched, [place.alarm for place in places])
        if not watched:
            return 0
        found = await asyncio.to_thread(windows_in, run, watched, now)
        return await self._db.write(_settle, run, watched, found, now)


def windows_in(run: "StoredRun", watched: Sequence[Watched], now: float) -> dict[int, list[Window]]:
    """By alarm, and only of hours that are not over."""
    # Here and not above: a service without any run need not load numpy.
    import numpy as np

    from quartet.wind.alerts.hourly import read_hourly
    from quartet.wind.alerts.rules import Rules
    from quartet.wind.alerts.windows import windows_of

    rules = Rules([each.rule for each in watched])
    lats = np.array([each.lat for each in watched])
    lons = np.array([each.lon for each in watched])
    hours = int(rules.lead_hours.max())
    weather = read_hourly(run, lats, lons, first_hour(now), hours)
    found: dict[int, list[Window]] = {}
    for number, window in windows_of(rules, weather, now):
        found.setdefault(watched[number].alarm, []).append(window)
    return found


def first_hour(now: float) -> int:
    """The next full hour: what has begun cannot be announced."""
    return -int(-now // HOUR) * HOUR


def _settle(tx: Tx, run: "StoredRun", watched: Sequence[Watched], found: Found, now: float) -> int:
    first = first_hour(now)
    by_id = {each.alarm: each for each in watched}
    revisions = store.held(tx.conn, list(by_id))
    # Whoever was changed or removed meanwhile is left to the next look.
    mine = [alarm for alarm, each in by_id.items() if revisions.get(alarm) == each.revision]
    known = store.remembered(tx.conn, mine, first - NEAR)
    news: list[News] = []
    moved: list[tuple[int, Told]] = []
    missed = []
    for alarm in mine:
        if alarm not in known and alarm not in found:
            continue
        each = by_id[alarm]
        decision = decide(known.get(alarm, ()), found.get(alarm, ()), _look(run, each, first, now))
        news += [News(alarm, each.channels, told) for told in decision.fresh]
        moved += [(alarm, told) for told in decision.moved]
        missed += [(alarm, window) for window in decision.missed]
    store.remember(tx.conn, [(each.alarm, each.told.window) for each in news])
    store.remember(tx.conn, [(alarm, told.window) for alarm, told in moved])
    store.remember(tx.conn, missed)
    store.tell(tx.conn, news, run.model, run.run, int(now))
    waiting = store.waiting_of(tx.conn, mine) if moved else set()
    untold = [each for each in moved if (each[0], each[1].window.began) in waiting]
    store.correct(tx.conn, untold, run.model, run.run)
    store.looked_at(
        tx.conn, {alarm: by_id[alarm].revision for alarm in mine if by_id[alarm].changed}
    )
    return len(news)


def _look(run: "StoredRun", each: Watched, first: int, now: float) -> Look:
    # The hour that the last step begins is the last that can be seen.
    end = min(run.times[-1] + HOUR, first_hour(now + each.rule.lead_hours * HOUR))
    return Look(run.run, first, end, each.rule.min_hours * HOUR)
