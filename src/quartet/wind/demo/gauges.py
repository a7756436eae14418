"""Gauges of the demo: real places with invented water levels."""

import math
from collections.abc import Callable

from quartet.wind.gauges.types import Gauge, LevelSeries, State

_DAY = 86400
_TEN_MINUTES = 600
# Half a lunar day, the period of the tide.
_TIDE_SECONDS = 44714
# Latitude, longitude, water, mean level in centimetres and amplitude of the tide.
_PLACES = {
    "Kiel-Holtenau": (54.3721, 10.1570, "Ostsee", 502, 0),
    "Eckernförde": (54.4747, 9.8360, "Ostsee", 501, 0),
    "Flensburg": (54.7951, 9.4330, "Ostsee", 503, 0),
    "Heiligenhafen": (54.3730, 11.0057, "Ostsee", 500, 0),
    "Travemünde": (53.9580, 10.8722, "Trave", 501, 0),
    "Warnemünde": (54.1697, 12.1034, "Ostsee", 505, 0),
    "Stralsund": (54.3057, 13.1190, "Ostsee", 506, 0),
    "Sassnitz": (54.5109, 13.6431, "Ostsee", 504, 0),
    "Cuxhaven Steubenhöft": (53.8677, 8.7174, "Elbe", 510, 148),
    "Hamburg St. Pauli": (53.5457, 9.9700, "Elbe", 540, 182),
    "Büsum": (54.1218, 8.8591, "Nordsee", 507, 162),
    "Husum": (54.4723, 9.0248, "Nordsee", 512, 175),
    "List auf Sylt": (55.0165, 8.4404, "Nordsee", 502, 91),
    "Wittdün": (54.6318, 8.3839, "Nordsee", 503, 130),
    "Helgoland Binnenhafen": (54.1789, 7.8899, "Nordsee", 502, 118),
    "Norderney Riffgat": (53.6965, 7.1578, "Nordsee", 502, 124),
    "Borkum Fischerbalje": (53.5574, 6.7479, "Nordsee", 503, 118),
    "Konstanz": (47.6608, 9.1810, "Bodensee", 341, 0),
    "Köln": (50.9369, 6.9633, "Rhein", 265, 0),
}


class DemoGauges:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock

    async def gauges(self) -> list[Gauge] | None:
        now = int(self._clock()) // _TEN_MINUTES * _TEN_MINUTES
        return [self._gauge(name, now) for name in _PLACES]

    async def series(self, gauge: Gauge, days: int) -> LevelSeries:
        now = int(self._clock()) // _TEN_MINUTES * _TEN_MINUTES
        times = list(range(now - days * _DAY, now + 1, _TEN_MINUTES))
        return LevelSeries(times, [level_at(gauge.name, time) for time in times])

    def _gauge(self, name: str, now: int) -> Gauge:
        lat, lon, water, mean, tide = _PLACES[name]
        level = level_at(name, now)
        state: State = "normal" if abs(level - mean) < 30 else "high" if level > mean else "low"
        number = list(_PLACES).index(name)
        return Gauge(
            f"00000000-0000-4000-8000-{number:012}",
            name,
            water,
            lat,
            lon,
            "cm",
            level,
            now,
            "unknown" if tide else state,
            tide > 0,
        )


def level_at(name: str, time: int) -> float:
    lat, lon, _, mean, tide = _PLACES[name]
    days = time / _DAY
    wind = 22 * math.sin(days / 1.7 + lon) + 12 * math.sin(days / 0.6 + lat)
    moon = tide * math.sin(2 * math.pi * time / _TIDE_SECONDS - lon / 3)
    return float(round(mean + wind + moon))
