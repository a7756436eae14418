"""Every station there is: found by name, code, place or coordinates."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.places.names import Named, NameIndex, new_edition, write_names
from quartet.wind.places.service import Places
from quartet.wind.places.typed import typed_coordinates
from quartet.wind.places.types import Point
from quartet.wind.stations import airports, store
from quartet.wind.stations.builtin import builtin
from quartet.wind.stations.merging import merged
from quartet.wind.stations.nearness import Near, Nearness
from quartet.wind.stations.types import Found, Known, Station

# A station that has been silent for longer is not live.
LIVE_SECONDS = 3 * 3600
NEAR_KM = 60.0
_LOOK_SECONDS = 60
_SHOWN = 10
_LOOKED_AT = 30
_LONGEST_SLUG = 120
_MOST_READ = 3000


class Stations:
    def __init__(
        self, db: Database, places: Places, folder: Path, clock: Callable[[], float]
    ) -> None:
        self._db = db
        self._places = places
        self._index = NameIndex(folder / "stations.sqlite3")
        self._clock = clock
        self._nearness = Nearness(())
        # When each station last measured; told by whoever stores measurements.
        self._heard: dict[int, int] = {}
        # Those of them that are live, and when that was looked through.
        self._live: frozenset[int] = frozenset()
        self._live_nearness = Nearness(())
        self._looked_through = 0.0
        # Of late, as they are stored.
        self._read: OrderedDict[int, Known] = OrderedDict()
        self.loaded = asyncio.Event()

    async def load(self) -> None:
        """Takes in the lists that come with the program, once for each edition."""
        await self.take("airports", airports.version(), airports.airports)
        await self.take("built-in", "1", builtin)
        await self.refresh()
        self.loaded.set()

    async def take(self, name: str, version: str, listed: Callable[[], Iterable[Known]]) -> bool:
        """Whether the list was another one than last time."""
        if (await self._db.read(store.versions)).get(name) == version:
            return False

        def work(tx: Tx) -> None:
            tx.lock("stations")
            if store.versions(tx.conn).get(name) == version:
                return
            changed = merged(store.everything(tx.conn), listed())
            store.save(tx.conn, changed, name, version)

        await self._db.write(work)
        return True

    async def refresh(self) -> None:
        """Brings what is kept outside of the database up to date with it."""
        versions = await self._db.read(store.versions)
        known = await self._db.read(store.everything)
        self._nearness = await asyncio.to_thread(Nearness, known)
        self._live, self._live_nearness = frozenset(), Nearness(())
        self._looked_through = 0.0
        self._read.clear()
        edition = " ".join(f"{name} {versions[name]}" for name in sorted(versions))
        if self._index.version() != edition:
            await asyncio.to_thread(self._write_index, known, edition)

    async def by_slug(self, slug: str) -> Known:
        found = None
        if len(slug) <= _LONGEST_SLUG and "\0" not in slug:
            found = await self._db.read(store.by_slug, slug)
        if found is None:
            raise AppError(404, "not_found", path=slug[:_LONGEST_SLUG])
        return found

    async def by_ids(self, ids: list[int]) -> dict[int, Known]:
        return await self._db.read(store.by_ids, ids)

    async def everything(self) -> list[Known]:
        return await self._db.read(store.everything)

    async def find(self, text: str, language: str) -> Found:
        point = typed_coordinates(text)
        if point is not None:
            near = self._nearness.around(point.lat, point.lon, NEAR_KM)[:_SHOWN]
            stations = await self._shown([each.station for each in near])
            return Found(stations, [], Point(point.lat, point.lon))
        refs = await asyncio.to_thread(self._index.find, text, _LOOKED_AT)
        # Those with a measurement first, otherwise as the index has ordered them.
        refs.sort(key=lambda ref: not self.is_live(ref))
        places = await self._places.find(text, language)
        return Found(await self._shown(refs[:_SHOWN]), places)

    def nearest(self, place: Coordinates) -> Near | None:
        """A live one where there is one, for only those can be compared with a forecast."""
        live = self._live_of_late().nearest(place.lat, place.lon, NEAR_KM)
        return live or self._nearness.nearest(place.lat, place.lon, NEAR_KM)

    async def read(self, station: int, place: Coordinates) -> Known:
        """One that is next to a place; from memory, like others that have been asked for there."""
        found = self._read.get(station)
        if found is None:
            together = self._nearness.together(place.lat, place.lon, NEAR_KM)
            self._read |= await self.by_ids(together)
            while len(self._read) > _MOST_READ:
                self._read.popitem(last=False)
            found = self._read[station]
        return found

    def heard(self, station: int, time: int) -> None:
        self._heard[station] = max(time, self._heard.get(station, 0))
        if station not in self._live:
            self._looked_through = 0.0

    def is_live(self, station: int) -> bool:
        return self._clock() - self._heard.get(station, 0) < LIVE_SECONDS

    def live(self) -> list[int]:
        return [station for station in self._heard if self.is_live(station)]

    def _live_of_late(self) -> Nearness:
        """Looked through once a minute only: everybody who asks for a point wants to know."""
        now = self._clock()
        if now - self._looked_through > _LOOK_SECONDS:
            live = frozenset(self.live())
            if live != self._live:
                self._live, self._live_nearness = live, self._nearness.only(live)
            self._looked_through = now
        return self._live_nearness

    def shown(self, station: Known) -> Station:
        return station.shown(self.is_live(station.id))

    async def _shown(self, ids: list[int]) -> list[Station]:
        known = await self.by_ids(ids) if ids else {}
        return [self.shown(known[each]) for each in ids if each in known]

    def _write_index(self, known: list[Known], edition: str) -> None:
        with new_edition(self._index.path) as conn:
            ordered = sorted(known, key=_rank)
            write_names(conn, (_named(each) for each in ordered), edition)


def _rank(station: Known) -> int:
    """Weather stations, then airports of towns, then the rest."""
    if station.codes.dwd or station.codes.wmo:
        return 0
    return 10 if station.city and "international" in station.name.lower() else 20


def _named(station: Known) -> Named:
    codes = (station.codes.icao, station.codes.wmo, station.codes.dwd)
    names = (station.name, station.city, *codes)
    return Named(station.id, _rank(station), tuple(name for name in names if name))
