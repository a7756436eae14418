"""Evaluates all alerts after each run and stores messages for new and for withdrawn windows."""

import asyncio
import logging
import time as clocks
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Database, Tx
from quartet.wind.alerts import store_announcements as messages
from quartet.wind.alerts import store_windows as store
from quartet.wind.alerts.local_time import HOUR
from quartet.wind.alerts.store_announcements import Announcement
from quartet.wind.alerts.store_windows import AlertPlace, WatchedAlert
from quartet.wind.alerts.types import AlertWindow, Evaluated, WeatherCondition
from quartet.wind.alerts.window_dedup import (
    GONE_RUNS,
    NEAR,
    KnownWindow,
    RunCoverage,
    WindowUpdate,
    as_gone,
    decide,
    is_withdrawn,
)
from quartet.wind.blend.answers import BestForecasts, BlendInputs
from quartet.wind.blend.types import BEST
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.places.coordinates import Coordinates

if TYPE_CHECKING:
    from quartet.wind.alerts.hourly import Hourly
    from quartet.wind.alerts.rules import Rules
    from quartet.wind.grid.forecast import Forecast

log = logging.getLogger("quartet.wind.alerts")

# Batch size, to limit memory.
AT_ONCE = 2000
# Ignore runs that are too old, and runs in the future, which indicate a wrong clock.
_OLDEST = 24 * HOUR
_AHEAD = HOUR
_HISTORY_SECONDS = 90 * 86400

Found = Mapping[int, Sequence[AlertWindow]]


class Evaluation:
    """Evaluation of runs; it can be interrupted, repeated or run twice at once.

    Windows and messages are written in one transaction that locks their alerts, and unique keys
    prevent duplicates. The run is marked as evaluated last.
    """

    def __init__(
        self,
        db: Database,
        catalogue: Catalogue,
        clock: Callable[[], float] = clocks.time,
        best: BestForecasts | None = None,
    ) -> None:
        self._db = db
        self._catalogue = catalogue
        self._best = best
        self._clock = clock

    async def evaluate_new(self) -> int:
        """Evaluate new runs and changed alerts; return the number of new windows."""
        done = await self._db.read(store.evaluated)
        changed = await self._db.read(store.models_with_changes)
        new_windows = 0
        for model in list(self._catalogue.models):
            run = self._catalogue.forecast(model)
            if run is None or not run.has_wind or not -_OLDEST < run.run - self._clock() <= _AHEAD:
                continue
            if model not in done or done[model].run < run.run:
                new_windows += await self.evaluate(run)
            elif model in changed:
                new_windows += (await self._evaluate_alerts(run, changed=True))[1]
        return new_windows

    async def evaluate(self, run: "Forecast") -> int:
        begun, now = clocks.perf_counter(), int(self._clock())
        count, new_windows = await self._evaluate_alerts(run, changed=False)
        seconds = round(clocks.perf_counter() - begun, 3)
        done = Evaluated(run.model, run.run, now, seconds, count, new_windows)
        # Relative to the run, not the clock: a wrong clock must not delete the history.
        oldest = run.run - _HISTORY_SECONDS

        def work(tx: Tx) -> None:
            store.put_evaluated(tx.conn, done)
            store.prune(tx.conn, oldest)

        await self._db.write(work)
        log.info(
            "evaluated run of %s: %d alerts, %d new windows, %.1f s",
            run.model,
            count,
            new_windows,
            seconds,
        )
        return new_windows

    async def _evaluate_alerts(self, run: "Forecast", *, changed: bool) -> tuple[int, int]:
        places = await self._db.read(store.alert_places, run.model, changed=changed)
        # South to north, the order of the grid file.
        places.sort(key=lambda place: (place.lat, place.lon))
        new_windows = 0
        for some in in_batches(places, AT_ONCE):
            new_windows += await self._batch(run, some)
        return len(places), new_windows

    async def _batch(self, run: "Forecast", places: list[AlertPlace]) -> int:
        now = self._clock()
        watched = await self._db.read(store.watched, [place.alarm for place in places])
        if not watched:
            return 0
        waves = self._catalogue.wave_forecasts
        inputs = await blend_inputs(self._best, watched)
        if inputs is None:
            # The message names the model that was used.
            watched = [each._replace(best=False) for each in watched]
        found = await asyncio.to_thread(windows_in, run, watched, now, waves, inputs)
        return await self._db.write(_settle, run, watched, found, now, _end_of(run, inputs))


def _end_of(run: "Forecast", inputs: BlendInputs | None) -> int:
    """Return the last hour of all forecasts that Best is made of."""
    forecasts = inputs.forecasts if inputs is not None else ()
    return max([run.times[-1], *(each.times[-1] for each in forecasts if each is not None)])


async def blend_inputs(
    best: BestForecasts | None, watched: Sequence[WatchedAlert]
) -> BlendInputs | None:
    """Return what Best needs at these alerts, unless all of them follow a model."""
    if best is None or not any(each.best for each in watched):
        return None
    return await best.inputs([Coordinates(each.lat, each.lon) for each in watched])


def windows_in(
    run: "Forecast",
    watched: Sequence[WatchedAlert],
    now: float,
    waves: "Sequence[Forecast]" = (),
    inputs: BlendInputs | None = None,
) -> dict[int, list[AlertWindow]]:
    """Return the future windows of each alert; `waves` are the forecasts of wave models."""
    # Imported here so that a service without runs does not load numpy.
    from quartet.wind.alerts.windows import windows_of

    rules, weather = _weather_of(run, watched, now, waves, inputs)
    found: dict[int, list[AlertWindow]] = {}
    for number, window in windows_of(rules, weather, now):
        found.setdefault(watched[number].alarm, []).append(window)
    return found


def unchecked_in(
    run: "Forecast", watched: WatchedAlert, now: float, waves: "Sequence[Forecast]"
) -> list[WeatherCondition]:
    """Return the conditions of an alert on fields that the forecast does not have."""
    rules, weather = _weather_of(run, [watched], now, waves)
    return rules.unchecked(weather)


def _weather_of(
    run: "Forecast",
    watched: Sequence[WatchedAlert],
    now: float,
    waves: "Sequence[Forecast]",
    inputs: BlendInputs | None = None,
) -> "tuple[Rules, Hourly]":
    import numpy as np

    from quartet.wind.alerts.hourly import read_forecast
    from quartet.wind.alerts.rules import Rules

    rules = Rules([each.rule for each in watched])
    lats = np.array([each.lat for each in watched])
    lons = np.array([each.lon for each in watched])
    hours = int(rules.lead_hours.max())
    first = first_hour(now)
    weather = read_forecast(run, lats, lons, first, hours, with_weather=rules.need_weather)
    if inputs is not None:
        from quartet.wind.alerts.best_hours import with_best
        from quartet.wind.alerts.hourly import extended

        # Best continues where the run that led to the evaluation ends.
        weather = extended(weather, hours)
        follow = [each.best for each in watched]
        least = rules.least_wind if rules.need_chance else None
        weather = with_best(weather, inputs, lats, lons, follow, least)
    if rules.need_waves and waves:
        from quartet.wind.alerts.waves import read_waves

        heights = read_waves(waves, lats, lons, first, weather.wind.shape[1])
        weather = weather._replace(waves=heights)
    return rules, weather


def first_hour(now: float) -> int:
    """Return the next full hour; an hour that has begun is not announced."""
    return -int(-now // HOUR) * HOUR


class Changes(NamedTuple):
    """What a run changes for several alerts, by the id of the alert."""

    announcements: list[Announcement]
    moved: list[tuple[int, WindowUpdate]]
    missed: list[tuple[int, KnownWindow]]
    disappeared: list[tuple[int, KnownWindow]]


def _settle(
    tx: Tx, run: "Forecast", watched: Sequence[WatchedAlert], found: Found, now: float, last: int
) -> int:
    """`last` is the last hour of Best."""
    revisions = store.lock_alerts(tx.conn, [each.alarm for each in watched])
    # Skip alerts that were changed or deleted during the evaluation; the next pass handles them.
    mine = {each.alarm: each for each in watched if revisions.get(each.alarm) == each.revision}
    known = store.known_windows(tx.conn, list(mine), first_hour(now) - NEAR)
    changes = Changes([], [], [], [])
    for alarm, each in mine.items():
        if alarm in known or alarm in found:
            end = last if each.best else run.times[-1]
            coverage = _coverage(run, each, first_hour(now), now, end)
            _decide(changes, each, known.get(alarm, ()), found.get(alarm, ()), coverage)
    _save(tx, run, changes, mine, int(now))
    store.mark_evaluated(
        tx.conn, {alarm: each.revision for alarm, each in mine.items() if each.changed}
    )
    return len(changes.announcements)


def _decide(
    changes: Changes,
    each: WatchedAlert,
    known: Sequence[KnownWindow],
    found: Sequence[AlertWindow],
    coverage: RunCoverage,
) -> None:
    decision = decide(known, found, coverage)
    changes.announcements.extend(
        Announcement(each.alarm, each.channels, update) for update in decision.fresh
    )
    changes.moved.extend((each.alarm, update) for update in decision.moved)
    for window in decision.missed:
        if each.changed:
            # It is missing because the user changed the alert, so there is nothing to report.
            changes.missed.append((each.alarm, window._replace(misses=GONE_RUNS)))
        elif is_withdrawn(window, coverage):
            changes.disappeared.append((each.alarm, window))
        else:
            changes.missed.append((each.alarm, window))


def _save(
    tx: Tx, run: "Forecast", changes: Changes, mine: Mapping[int, WatchedAlert], now: int
) -> None:
    announcements = [(each.alarm, each.window_update.window) for each in changes.announcements]
    moved = [(alarm, update.window) for alarm, update in changes.moved]
    for windows in (announcements, moved, changes.missed, changes.disappeared):
        store.save_windows(tx.conn, windows)
    waiting = messages.waiting_of(tx.conn, list(mine)) if changes.moved else set()
    unsent = [each for each in changes.moved if (each[0], each[1].window.began) in waiting]
    withdrawals = _withdrawals(tx, changes.disappeared)
    for model, best in ((run.model, False), (BEST, True)):
        news = [each for each in changes.announcements if mine[each.alarm].best == best]
        gone = [each for each in withdrawals if mine[each.alarm].best == best]
        messages.add_messages(tx.conn, news, model, run.run, now)
        messages.add_messages(tx.conn, gone, model, run.run, now, kind="withdrawn")
        changed = [each for each in unsent if mine[each[0]].best == best]
        messages.update_messages(tx.conn, changed, model, run.run)


def _withdrawals(tx: Tx, disappeared: list[tuple[int, KnownWindow]]) -> list[Announcement]:
    """Return messages about missing windows, on the channels that announced them."""
    announced = messages.announced(tx.conn, disappeared)
    withdrawals = [
        Announcement(alarm, each.channels, WindowUpdate(as_gone(window), each.forecast))
        for alarm, window in disappeared
        if (each := announced.get((alarm, window.began))) is not None
    ]
    store.save_windows(tx.conn, [(each.alarm, each.window_update.window) for each in withdrawals])
    return withdrawals


def _coverage(
    run: "Forecast", each: WatchedAlert, first: int, now: float, last: int
) -> RunCoverage:
    # The hour that starts at the last step is the last visible one.
    end = min(last + HOUR, first_hour(now + each.rule.lead_hours * HOUR))
    return RunCoverage(run.run, first, end, each.rule.min_hours * HOUR)
