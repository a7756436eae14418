from msgspec import UNSET, UnsetType

from quartet.wind.forecasts.service import Forecasts
from quartet.wind.forecasts.types import PointForecast, PointNotice
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.ranking.service import Rankings


class Points:
    """What is known of any place. One object for its route: to hand it several takes longer."""

    def __init__(self, forecasts: Forecasts, rankings: Rankings) -> None:
        self._forecasts = forecasts
        self._rankings = rankings

    async def at(self, place: Coordinates) -> PointForecast:
        nearest = await self._rankings.nearest(place)
        forecasts = self._forecasts.series(place)
        notice: PointNotice | UnsetType = UNSET if forecasts else "no_forecast"
        return PointForecast(place.lat, place.lon, forecasts, nearest, notice)
