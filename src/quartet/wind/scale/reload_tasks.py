"""Tasks that load what other processes have written."""

from quartet.kernel.supervisor import BackgroundTask, every
from quartet.wind.gauges.service import Gauges
from quartet.wind.observations.service import Observations
from quartet.wind.stations.service import Stations

_LATEST_SECONDS = 30.0
_GAUGE_SECONDS = 60.0
_STATION_SECONDS = 3600.0


def reload_tasks(
    stations: Stations, observations: Observations, gauges: Gauges
) -> list[BackgroundTask]:
    async def latest() -> None:
        await stations.loaded.wait()
        await observations.load()

    async def changed() -> None:
        await stations.loaded.wait()
        await stations.refresh()

    return [
        every(_LATEST_SECONDS, latest, name="follow measurements", everywhere=True),
        every(_GAUGE_SECONDS, gauges.load, name="follow gauges", everywhere=True),
        every(_STATION_SECONDS, changed, name="follow stations", everywhere=True),
    ]
