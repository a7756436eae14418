import re

import msgspec
from msgspec import UNSET, UnsetType

from quartet.kernel.errors import AppError
from quartet.wind.forecasts.service import Forecasts
from quartet.wind.forecasts.types import PointForecast, PointNotice, WantedSurface
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.ranking.service import Rankings
from quartet.wind.ranking.types import Nearest

# The queries of our own pages, already rounded; all others are parsed by the route.
_PLAIN = re.compile(rb"lat=(-?\d{1,2}(?:\.\d{1,2})?)&lon=(-?\d{1,3}(?:\.\d{1,2})?)")
_encode = msgspec.json.Encoder().encode


class Points:
    """Answers for any place.

    One object for the route, because injecting several costs more time.
    """

    def __init__(self, forecasts: Forecasts, rankings: Rankings) -> None:
        self._forecasts = forecasts
        self._rankings = rankings

    async def at(self, place: Coordinates, wanted: WantedSurface = "auto") -> PointForecast:
        nearest = await self._nearest(place)
        series, surface = self._forecasts.at(place, wanted)
        notice: PointNotice | UnsetType = UNSET if series else "no_forecast"
        waves = self._forecasts.waves(place)
        ensembles = self._forecasts.ensembles(place)
        return PointForecast(
            place.lat, place.lon, series, nearest, notice, waves, surface, ensembles
        )

    async def _nearest(self, place: Coordinates) -> Nearest | None:
        """Return the nearest station; a forecast does without it while the database is lost."""
        try:
            return await self._rankings.nearest(place)
        except AppError as error:
            if error.code != "database_unavailable":
                raise
            return None

    def version(self) -> object:
        """Return a value that changes with the responses: with each run, and every minute."""
        return self._forecasts.version()

    async def shortcut(self, query: bytes) -> bytes | None:
        asked = _PLAIN.fullmatch(query)
        if asked is None:
            return None
        # Adding zero turns -0.0 into 0.0.
        lat, lon = float(asked[1]) + 0.0, float(asked[2]) + 0.0
        if not (-90 <= lat <= 90 and -180 <= lon < 180):
            return None
        return _encode(await self.at(Coordinates(lat, lon)))
