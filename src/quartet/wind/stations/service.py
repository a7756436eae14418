"""All stations, found by name, code, place or coordinates."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.places.name_index import NameEntry, NameIndex, new_edition, write_names
from quartet.wind.places.service import Places
from quartet.wind.places.typed_coordinates import typed_coordinates
from quartet.wind.places.types import Place, Point
from quartet.wind.stations import airports, store
from quartet.wind.stations.builtin import builtin_stations
from quartet.wind.stations.merging import merge
from quartet.wind.stations.station_index import NearStation, StationIndex
from quartet.wind.stations.types import Found, KnownStation, Station

# A station is live if it has reported within this time.
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
        self._station_index = StationIndex(())
        # Time of the last measurement of each station, set by `Observations`.
        self._last_report: dict[int, int] = {}
        # Cache of the live stations and when it was computed.
        self._live: frozenset[int] = frozenset()
        self._live_index = StationIndex(())
        self._live_checked_at = 0.0
        # Cache of recently used stations.
        self._read: OrderedDict[int, KnownStation] = OrderedDict()
        self.loaded = asyncio.Event()

    async def load(self) -> None:
        """Import the bundled lists, once per version."""
        await self.import_list("airports", airports.version(), airports.airports)
        await self.import_list("built-in", "1", builtin_stations)
        await self.refresh()
        self.loaded.set()

    async def import_list(
        self, name: str, version: str, listed: Callable[[], Iterable[KnownStation]]
    ) -> bool:
        """Import a list; return False if this version was imported before."""
        if (await self._db.read(store.versions)).get(name) == version:
            return False

        def work(tx: Tx) -> None:
            tx.lock("stations")
            if store.versions(tx.conn).get(name) == version:
                return
            changed = merge(store.everything(tx.conn), listed())
            store.save(tx.conn, changed, name, version)

        await self._db.write(work)
        return True

    async def refresh(self) -> None:
        """Rebuild the in-memory indexes and caches from the database."""
        versions = await self._db.read(store.versions)
        # Read row by row: lists of them would leave megabytes of partly used memory behind.
        self._station_index = await self._db.read(lambda conn: StationIndex(store.positions(conn)))
        self._live, self._live_index = frozenset(), StationIndex(())
        self._live_checked_at = 0.0
        self._read.clear()
        edition = " ".join(f"{name} {versions[name]}" for name in sorted(versions))
        if self._index.version() != edition:
            known = await self._db.read(store.everything)
            await asyncio.to_thread(self._write_index, known, edition)

    async def by_slug(self, slug: str) -> KnownStation:
        found = None
        if len(slug) <= _LONGEST_SLUG and "\0" not in slug:
            found = await self._db.read(store.by_slug, slug)
        if found is None:
            raise AppError(404, "not_found", path=slug[:_LONGEST_SLUG])
        return found

    async def by_ids(self, ids: list[int]) -> dict[int, KnownStation]:
        return await self._db.read(store.by_ids, ids)

    async def everything(self) -> list[KnownStation]:
        """Return all stations: 17,000 objects that take 30 MB, so only read them where needed."""
        return await self._db.read(store.everything)

    async def with_dwd_code(self) -> list[KnownStation]:
        return await self._db.read(store.with_dwd_code)

    async def with_only_wmo_code(self) -> list[KnownStation]:
        return await self._db.read(store.with_only_wmo_code)

    async def ids_by_icao(self) -> dict[str, int]:
        return await self._db.read(store.ids_by_icao)

    async def find(self, text: str, language: str) -> Found:
        point = typed_coordinates(text)
        if point is not None:
            near = self._station_index.around(point.lat, point.lon, NEAR_KM)[:_SHOWN]
            stations = await self._shown([each.station for each in near])
            return Found(stations, [], Point(point.lat, point.lon))
        refs, places = await self._matches(text, language, typos=False)
        if not refs and not places:
            # A station with a similar name must not hide the place that was typed.
            refs, places = await self._matches(text, language, typos=True)
        # Live stations first, otherwise in the order of the index.
        refs.sort(key=lambda ref: not self.is_live(ref))
        return Found(await self._shown(refs[:_SHOWN]), places)

    async def _matches(
        self, text: str, language: str, *, typos: bool
    ) -> tuple[list[int], list[Place]]:
        find = partial(self._index.find, text, _LOOKED_AT, typos=typos)
        refs = await asyncio.to_thread(find)
        return refs, await self._places.find(text, language, typos=typos)

    def nearest(self, place: Coordinates) -> NearStation | None:
        """Return the nearest live station, else the nearest one."""
        live_index = self._current_live_index()
        # This is looked up for every point, so a site without measurements skips it.
        live = live_index.nearest(place.lat, place.lon, NEAR_KM) if self._live else None
        return live or self._station_index.nearest(place.lat, place.lon, NEAR_KM)

    def around(self, place: Coordinates, within_km: float) -> list[NearStation]:
        """Return live stations within a distance, nearest first."""
        return self._current_live_index().around(place.lat, place.lon, within_km)

    async def read(self, station: int, place: Coordinates) -> KnownStation:
        """Return a station near `place`, caching it together with its neighbours."""
        found = self._read.get(station)
        if found is None:
            neighbours = self._station_index.neighbours(place.lat, place.lon, NEAR_KM)
            self._read |= await self.by_ids(neighbours)
            while len(self._read) > _MOST_READ:
                self._read.popitem(last=False)
            found = self._read[station]
        return found

    def record_report(self, station: int, time: int) -> None:
        self._last_report[station] = max(time, self._last_report.get(station, 0))
        if station not in self._live:
            self._live_checked_at = 0.0

    def is_live(self, station: int) -> bool:
        return self._clock() - self._last_report.get(station, 0) < LIVE_SECONDS

    def live(self) -> list[int]:
        return [station for station in self._last_report if self.is_live(station)]

    def _current_live_index(self) -> StationIndex:
        """Return the live stations, recomputed at most once a minute because every point needs
        them.
        """
        now = self._clock()
        if now - self._live_checked_at > _LOOK_SECONDS:
            live = frozenset(self.live())
            if live != self._live:
                self._live, self._live_index = live, self._station_index.restrict_to(live)
            self._live_checked_at = now
        return self._live_index

    def shown(self, station: KnownStation) -> Station:
        return station.shown(self.is_live(station.id))

    async def _shown(self, ids: list[int]) -> list[Station]:
        known = await self.by_ids(ids) if ids else {}
        return [self.shown(known[each]) for each in ids if each in known]

    def _write_index(self, known: list[KnownStation], edition: str) -> None:
        with new_edition(self._index.path) as conn:
            ordered = sorted(known, key=_rank)
            write_names(conn, (_named(each) for each in ordered), edition)


def _rank(station: KnownStation) -> int:
    """Rank weather stations first, then international airports, then the rest."""
    if station.codes.dwd or station.codes.wmo:
        return 0
    return 10 if station.city and "international" in station.name.lower() else 20


def _named(station: KnownStation) -> NameEntry:
    codes = (station.codes.icao, station.codes.wmo, station.codes.dwd)
    names = (station.name, station.city, *codes)
    return NameEntry(station.id, _rank(station), tuple(name for name in names if name))
