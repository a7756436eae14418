"""Assemble the stored forecasts and measurements of several stations hour by hour."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from quartet.wind.blend.learning import LessonHour
from quartet.wind.blend.state import ENSEMBLES, LEAD_ENDS, LEADS, lead_class
from quartet.wind.grid.arrays import Floats
from quartet.wind.ranking.hours import LEADS as LEAD_HOURS

_HOUR = 3600
_HALF_HOUR = 1800
_WIDEST_GAP = 6
# Station, model, run and packed hours.
Kept = tuple[int, str, int, bytes]


class Pairs:
    """Forecasts and measurements of some stations."""

    def __init__(
        self,
        stations: Sequence[int],
        models: Sequence[str],
        kept: Sequence[Kept],
        ensembles: Sequence[str] = (),
    ) -> None:
        self._stations = {station: row for row, station in enumerate(stations)}
        known = {*models, *ensembles}
        rows = [row for row in kept if row[1] in known and row[0] in self._stations]
        self.runs = sorted({run for _, _, run, _ in rows})
        self.u, self.v = self._vectors(self._packed(models, rows))
        of_ensembles = [row for row in rows if row[1] in ensembles]
        self.spreads: Floats | None = None
        if of_ensembles:
            self.spreads = _hourly_spreads(self._packed(ensembles, of_ensembles))

    def _packed(
        self, ids: Sequence[str], rows: Sequence[Kept]
    ) -> "np.ndarray[tuple[int, ...], np.dtype[np.int16]]":
        """Return the stored numbers, shaped (run, station, model, 2, lead)."""
        columns = {model: column for column, model in enumerate(ids)}
        numbers = {run: number for number, run in enumerate(self.runs)}
        shape = (len(self.runs), len(self._stations), len(ids), 2, LEAD_HOURS)
        packed = np.full(shape, -1, np.int16)
        mine = [row for row in rows if row[1] in columns]
        if mine:
            place = (
                [numbers[run] for _, _, run, _ in mine],
                [self._stations[station] for station, *_ in mine],
                [columns[model] for _, model, *_ in mine],
            )
            stored = np.frombuffer(b"".join(row[3] for row in mine), "<i2")
            packed[place] = stored.reshape(-1, 2, LEAD_HOURS)
        return packed

    def _vectors(
        self, packed: "np.ndarray[tuple[int, ...], np.dtype[np.int16]]"
    ) -> tuple[Floats, Floats]:
        """Return the wind as vectors, interpolated between the steps of a model."""
        missing = packed[..., 0, :] < 0
        speed = packed[..., 0, :].astype(np.float32) / 10
        turn = np.radians(packed[..., 1, :].astype(np.float32))
        u: Floats = np.asarray(speed * np.sin(turn), np.float32)
        v: Floats = np.asarray(speed * np.cos(turn), np.float32)
        u[missing] = np.nan
        v[missing] = np.nan
        for model in range(packed.shape[2]):
            # Steps are those of the model, the same at all stations.
            for run in range(packed.shape[0]):
                has = np.flatnonzero(~missing[run, :, model].all(axis=0))
                for low, high in pairwise(has.tolist()):
                    if 1 < high - low <= _WIDEST_GAP:
                        share = (np.arange(low + 1, high) - low) / (high - low)
                        for part in (u[run, :, model], v[run, :, model]):
                            edge = part[:, low, None]
                            part[:, low + 1 : high] = edge + (part[:, high, None] - edge) * share
        return u, v

    def hour(self, time: int, measured: Floats) -> LessonHour:
        """Return an hour; every class of lead times has the forecast of one run at most."""
        u = np.full((self.u.shape[1], LEADS, self.u.shape[2]), np.nan, np.float32)
        v = u.copy()
        spreads: Floats | None = None
        if self.spreads is not None:
            spreads = np.full((ENSEMBLES, self.u.shape[1], LEADS), np.nan, np.float32)
        for number, run in enumerate(self.runs):
            lead = (time - run) // _HOUR
            if 0 <= lead <= LEAD_ENDS[-1]:
                place = int(lead_class(np.array(float(lead))))
                u[:, place] = self.u[number, :, :, lead]
                v[:, place] = self.v[number, :, :, lead]
                if spreads is not None and self.spreads is not None:
                    found = self.spreads[number, :, :, lead].T
                    spreads[: len(found), :, place] = found
        return LessonHour(time, np.hypot(u, v), measured, _direction(u, v), spreads)


def _hourly_spreads(packed: "np.ndarray[tuple[int, ...], np.dtype[np.int16]]") -> Floats:
    """Return the spreads in knots of every hour, shaped (run, station, ensemble, lead)."""
    spreads: Floats = np.asarray(packed[..., 1, :] / 100, np.float32)
    spreads[packed[..., 1, :] < 0] = np.nan
    for run, ensemble in np.ndindex(spreads.shape[0], spreads.shape[2]):
        part = spreads[run, :, ensemble]
        # Steps are those of the ensemble, the same at all stations.
        has = np.flatnonzero(~np.isnan(part).all(axis=0))
        for low, high in pairwise(has.tolist()):
            if 1 < high - low <= _WIDEST_GAP:
                share = (np.arange(low + 1, high) - low) / (high - low)
                edge = part[:, low, None]
                part[:, low + 1 : high] = edge + (part[:, high, None] - edge) * share
    return spreads


def _direction(u: Floats, v: Floats) -> Floats:
    """Return the direction of the mean vector of all models and lead times; NaN for none."""
    known = ~np.isnan(u)
    east, north = (np.where(known, each, 0).sum(axis=(1, 2)) for each in (u, v))
    degrees = np.degrees(np.arctan2(east, north)) % 360
    return np.asarray(np.where(known.any(axis=(1, 2)), degrees, np.nan), np.float32)


def measured_hours(
    stations: Sequence[int], rows: Sequence[tuple[int, int, float]], first: int, hours: int
) -> Floats:
    """Return the measurement next to each full hour, shaped (hour, station); NaN for none."""
    found: Floats = np.full((hours, len(stations)), np.nan, np.float32)
    if not rows:
        return found
    places: Mapping[int, int] = {station: row for row, station in enumerate(stations)}
    times = np.array([time for _, time, _ in rows], np.int64)
    nearest = (times - first + _HALF_HOUR) // _HOUR
    away = np.abs(times - first - nearest * _HOUR)
    columns = np.array([places[station] for station, _, _ in rows])
    wind = np.array([speed for _, _, speed in rows], np.float32)
    # The nearest is written last.
    order = np.argsort(-away, kind="stable")
    inside = order[(nearest[order] >= 0) & (nearest[order] < hours)]
    found[nearest[inside], columns[inside]] = wind[inside]
    return found


def hours_between(first: int, last: int) -> Iterator[int]:
    yield from range(first, last + 1, _HOUR)
