"""The windows that the alerts of a user find now, for the pages of their spots."""

import asyncio
import time as clocks
from collections.abc import Callable

from quartet.kernel.db import Database
from quartet.wind.alerts import store, store_windows
from quartet.wind.alerts.evaluation import blend_inputs, windows_in
from quartet.wind.blend.answers import BestForecasts
from quartet.wind.grid.catalogue import Catalogue


class AlertSpans:
    """The same evaluation as that of the messages, so that page and message agree."""

    def __init__(
        self,
        db: Database,
        catalogue: Catalogue,
        best: BestForecasts,
        clock: Callable[[], float] = clocks.time,
    ) -> None:
        self._db = db
        self._catalogue = catalogue
        self._best = best
        self._clock = clock

    async def of(self, user: int) -> dict[int, list[tuple[int, int]]]:
        """Return start and end of the windows of each spot with an enabled alert."""
        alarms = await self._db.read(store.of_user, user)
        chosen = {each.favorite: each.follows for each in alarms if each.enabled}
        watched = await self._db.read(store_windows.watched, list(chosen)) if chosen else []
        found: dict[int, list[tuple[int, int]]] = {}
        for each in watched:
            run = self._catalogue.forecast(chosen[each.alarm] or "")
            if run is None:
                continue
            inputs = await blend_inputs(self._best, [each])
            now, waves = self._clock(), self._catalogue.wave_forecasts
            windows = await asyncio.to_thread(windows_in, run, [each], now, waves, inputs)
            spans = [(window.start, window.end) for window in windows.get(each.alarm, ())]
            found[each.alarm] = spans
        return found
