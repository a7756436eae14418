"""Fetches measurements, each kind from where it is offered."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

import msgspec

from quartet.kernel.errors import AppError
from quartet.wind.fetching import Fetcher
from quartet.wind.observations import reports
from quartet.wind.observations.cdc import parse_ten_minutes
from quartet.wind.observations.metar import parse_metar
from quartet.wind.observations.poi import parse_poi
from quartet.wind.observations.reports import Raw
from quartet.wind.observations.service import Observations
from quartet.wind.observations.store import Measured
from quartet.wind.observations.taf import parse_taf
from quartet.wind.observations.types import Measurement, Taf
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import Known

_MOST_BYTES = 50_000_000
_SMALL_BYTES = 2_000_000
# What the interface gives at most in one answer.
_MOST_IDS = 400
# Between two of several hundred small files.
_PAUSE_SECONDS = 0.1


@dataclass(frozen=True)
class Addresses:
    aviation: str
    poi: str
    cdc: str


class Sources:
    def __init__(
        self,
        fetcher: Fetcher,
        addresses: Addresses,
        stations: Stations,
        observations: Observations,
        pause: float = _PAUSE_SECONDS,
    ) -> None:
        self._fetcher = fetcher
        self._at = addresses
        self._stations = stations
        self._observations = observations
        self._pause = pause

    async def metars(self) -> int:
        """All of the world in one file; one by one when that cannot be had."""
        by_icao = await self._by_icao()
        try:
            url = f"{self._at.aviation}/data/cache/metars.cache.csv.gz"
            raws = await self._reports(url, lambda text: list(reports.metars_of_csv(text)))
        except AppError:
            raws = await self._asked("metar", by_icao, reports.metars_of_json)
        return await self._observations.add(await asyncio.to_thread(_measured, raws, by_icao))

    async def tafs(self) -> int:
        by_icao = await self._by_icao()
        try:
            url = f"{self._at.aviation}/data/cache/tafs.cache.xml.gz"
            raws = await self._reports(url, lambda text: list(reports.tafs_of_xml(text)))
        except AppError:
            raws = await self._asked("taf", by_icao, reports.tafs_of_json)
        return await self._observations.add_tafs(await asyncio.to_thread(_tafs, raws, by_icao))

    async def poi(self) -> int:
        """Where there is nothing finer."""
        known = await self._stations.everything()
        wanted = [each for each in known if each.codes.wmo and not each.codes.dwd]
        return await self._each(wanted, self._poi_of)

    async def ten_minutes(self) -> int:
        known = await self._stations.everything()
        return await self._each([each for each in known if each.codes.dwd], self._ten_minutes_of)

    async def _poi_of(self, station: Known) -> list[Measurement]:
        name = (station.codes.wmo or "").ljust(5, "_")
        url = f"{self._at.poi}/{name}-BEOB.csv"
        body = await self._fetcher.changed(url, _SMALL_BYTES)
        return list(parse_poi(body.decode("latin-1"))) if body else []

    async def _ten_minutes_of(self, station: Known) -> list[Measurement]:
        url = f"{self._at.cdc}/10_minutes/{{}}/now/10minutenwerte_{{}}_{station.codes.dwd}_now.zip"
        mean = await self._fetcher.changed(url.format("wind", "wind"), _SMALL_BYTES)
        if mean is None:
            return []
        gusts_url = url.format("extreme_wind", "extrema_wind")
        # Always whole: it is only asked for together with the other one.
        self._fetcher.forget(gusts_url)
        gusts = await self._fetcher.changed(gusts_url, _SMALL_BYTES)
        return await asyncio.to_thread(lambda: list(parse_ten_minutes(mean, gusts)))

    async def _each(
        self, stations: list[Known], fetch: Callable[[Known], Awaitable[list[Measurement]]]
    ) -> int:
        """One bad file holds up nobody; when none is good, something else is wrong."""
        added, failed = 0, None
        good = not stations
        for station in stations:
            try:
                found = await fetch(station)
                added += await self._observations.add((station.id, each) for each in found)
                good = True
            except AppError as error:
                failed = error
            await asyncio.sleep(self._pause)
        if failed and not good:
            raise failed
        return added

    async def _by_icao(self) -> dict[str, int]:
        known = await self._stations.everything()
        return {each.codes.icao: each.id for each in known if each.codes.icao}

    async def _reports(self, url: str, read: Callable[[str], list[Raw]]) -> list[Raw]:
        body = await self._fetcher.changed(url, _MOST_BYTES)
        if body is None:
            return []
        try:
            return await asyncio.to_thread(lambda: read(reports.unpacked(body)))
        except AppError:
            self._fetcher.forget(url)
            raise

    async def _asked(
        self, kind: str, by_icao: dict[str, int], read: Callable[[object], Iterable[Raw]]
    ) -> list[Raw]:
        """For those that have told something lately."""
        live = set(self._stations.live())
        codes = sorted(code for code, station in by_icao.items() if station in live)[:_MOST_IDS]
        if not codes:
            raise AppError(502, "report_unreadable")
        url = f"{self._at.aviation}/api/data/{kind}?format=json&ids={','.join(codes)}"
        body = await self._fetcher.changed(url, _MOST_BYTES)
        try:
            return list(read(msgspec.json.decode(body))) if body else []
        except (msgspec.MsgspecError, UnicodeError) as error:
            raise AppError(502, "report_unreadable") from error


def _measured(raws: list[Raw], by_icao: dict[str, int]) -> list[Measured]:
    found = []
    for raw in raws:
        metar = parse_metar(raw.text, raw.time)
        station = by_icao.get(metar.station) if metar else None
        if metar and station is not None:
            wind = metar.wind
            told = Measurement(
                metar.time, wind.wind, wind.direction, "metar", wind.gust, wind.variable
            )
            found.append((station, told))
    return found


def _tafs(raws: list[Raw], by_icao: dict[str, int]) -> list[tuple[int, Taf]]:
    parsed = (parse_taf(raw.text, raw.time) for raw in raws)
    return [
        (by_icao[report.station], report.taf)
        for report in parsed
        if report and report.station in by_icao
    ]
