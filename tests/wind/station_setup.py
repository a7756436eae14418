"""Stations with measurements, without the web app and with small station lists."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from quartet.kernel.db import Database, migrate, open_database
from quartet.wind.app import SERVICE
from quartet.wind.observations.service import Observations
from quartet.wind.places.service import Places
from quartet.wind.ranking.service import Rankings
from quartet.wind.stations import airports
from quartet.wind.stations.builtin import builtin_stations
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import Codes, KnownStation
from tests.databases import put_empty_database
from tests.wind.upstream import Clock

NOW = 1_794_700_000
HAMBURG = KnownStation(
    "Hamburg Airport", 53.6304, 9.9882, Codes(icao="EDDH"), "DE", "Europe/Berlin"
)
NEW_YORK = KnownStation(
    "John F Kennedy", 40.6399, -73.7787, Codes(icao="KJFK"), "US", "America/New_York"
)
KIEL, LIGHTHOUSE = "kiel-holtenau-02564", "leuchtturm-kiel-02961"


@dataclass
class Site:
    db: Database
    clock: Clock
    places: Places
    stations: Stations
    observations: Observations
    rankings: Rankings

    async def id_of(self, slug: str) -> int:
        return (await self.stations.by_slug(slug)).id


@asynccontextmanager
async def site_at(folder: Path, now: float = NOW, url: str | None = None) -> AsyncIterator[Site]:
    if url is None:
        put_empty_database(folder, SERVICE.history)
    db = open_database(folder, "wind", url)
    try:
        migrate(db, SERVICE.history)
        clock = Clock(now)
        places = Places(folder / "places")
        stations = Stations(db, places, folder / "places", clock)
        await load_lists(stations, [HAMBURG, NEW_YORK])
        yield Site(
            db,
            clock,
            places,
            stations,
            Observations(db, stations, 31, clock),
            Rankings(db, stations, 30, clock),
        )
    finally:
        db.close()


async def load_lists(stations: Stations, few: Iterable[KnownStation]) -> None:
    """Load these airports instead of the bundled list."""
    few = list(few)
    await stations.import_list("airports", airports.version(), lambda: few)
    await stations.import_list("built-in", "1", builtin_stations)
    await stations.refresh()
    stations.loaded.set()
