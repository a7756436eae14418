"""Fetches measurements from all sources."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

import msgspec

from quartet.kernel.errors import AppError
from quartet.wind.fetcher import Fetcher
from quartet.wind.observations import report_files
from quartet.wind.observations.cdc import parse_ten_minutes
from quartet.wind.observations.metar import parse_metar
from quartet.wind.observations.poi import parse_poi
from quartet.wind.observations.report_files import RawReport
from quartet.wind.observations.service import Observations
from quartet.wind.observations.store import Measured
from quartet.wind.observations.taf import parse_taf
from quartet.wind.observations.types import Measurement, Taf
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import KnownStation

_MOST_BYTES = 50_000_000
_SMALL_BYTES = 2_000_000
# Limit of the API per request.
_MOST_IDS = 400
# Pause between requests for hundreds of small files.
_PAUSE_SECONDS = 0.1


@dataclass(frozen=True)
class SourceAddresses:
    aviation: str
    poi: str
    cdc: str


class Sources:
    def __init__(
        self,
        fetcher: Fetcher,
        addresses: SourceAddresses,
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
        """Fetch the METARs of the whole world in one file; on failure, request live stations by
        code.
        """
        by_icao = await self._stations.ids_by_icao()
        try:
            url = f"{self._at.aviation}/data/cache/metars.cache.csv.gz"
            raws = await self._reports(url, lambda text: list(report_files.metars_of_csv(text)))
        except AppError:
            raws = await self._fetch_by_code("metar", by_icao, report_files.metars_of_json)
        return await self._observations.add(await asyncio.to_thread(_parse_metars, raws, by_icao))

    async def tafs(self) -> int:
        by_icao = await self._stations.ids_by_icao()
        try:
            url = f"{self._at.aviation}/data/cache/tafs.cache.xml.gz"
            raws = await self._reports(url, lambda text: list(report_files.tafs_of_xml(text)))
        except AppError:
            raws = await self._fetch_by_code("taf", by_icao, report_files.tafs_of_json)
        return await self._observations.add_tafs(
            await asyncio.to_thread(_parse_tafs, raws, by_icao)
        )

    async def poi(self) -> int:
        """Fetch hourly data of stations without ten-minute data."""
        return await self._each(await self._stations.with_only_wmo_code(), self._poi_of)

    async def ten_minutes(self) -> int:
        return await self._each(await self._stations.with_dwd_code(), self._ten_minutes_of)

    async def _poi_of(self, station: KnownStation) -> list[Measurement]:
        name = (station.codes.wmo or "").ljust(5, "_")
        url = f"{self._at.poi}/{name}-BEOB.csv"
        body = await self._fetcher.fetch_if_changed(url, _SMALL_BYTES)
        return list(parse_poi(body.decode("latin-1"))) if body else []

    async def _ten_minutes_of(self, station: KnownStation) -> list[Measurement]:
        url = f"{self._at.cdc}/10_minutes/{{}}/now/10minutenwerte_{{}}_{station.codes.dwd}_now.zip"
        mean = await self._fetcher.fetch_if_changed(url.format("wind", "wind"), _SMALL_BYTES)
        if mean is None:
            return []
        gusts_url = url.format("extreme_wind", "extrema_wind")
        # Fetch the gusts unconditionally, because they are needed together with the mean.
        self._fetcher.forget(gusts_url)
        gusts = await self._fetcher.fetch_if_changed(gusts_url, _SMALL_BYTES)
        return await asyncio.to_thread(lambda: list(parse_ten_minutes(mean, gusts)))

    async def _each(
        self,
        stations: list[KnownStation],
        fetch: Callable[[KnownStation], Awaitable[list[Measurement]]],
    ) -> int:
        """Fetch station by station; raise the last error only if all of them failed."""
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

    async def _reports(self, url: str, read: Callable[[str], list[RawReport]]) -> list[RawReport]:
        body = await self._fetcher.fetch_if_changed(url, _MOST_BYTES)
        if body is None:
            return []
        try:
            return await asyncio.to_thread(lambda: read(report_files.decompress(body)))
        except AppError:
            self._fetcher.forget(url)
            raise

    async def _fetch_by_code(
        self, kind: str, by_icao: dict[str, int], read: Callable[[object], Iterable[RawReport]]
    ) -> list[RawReport]:
        """Request the reports of live stations."""
        live = set(self._stations.live())
        codes = sorted(code for code, station in by_icao.items() if station in live)[:_MOST_IDS]
        if not codes:
            raise AppError(502, "report_unreadable")
        url = f"{self._at.aviation}/api/data/{kind}?format=json&ids={','.join(codes)}"
        body = await self._fetcher.fetch_if_changed(url, _MOST_BYTES)
        try:
            return list(read(msgspec.json.decode(body))) if body else []
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise AppError(502, "report_unreadable") from error


def _parse_metars(raws: list[RawReport], by_icao: dict[str, int]) -> list[Measured]:
    found = []
    for raw in raws:
        metar = parse_metar(raw.text, raw.time)
        station = by_icao.get(metar.station) if metar else None
        if metar and station is not None:
            wind = metar.wind
            measurement = Measurement(
                metar.time, wind.wind, wind.direction, "metar", wind.gust, wind.variable
            )
            found.append((station, measurement))
    return found


def _parse_tafs(raws: list[RawReport], by_icao: dict[str, int]) -> list[tuple[int, Taf]]:
    parsed = (parse_taf(raw.text, raw.time) for raw in raws)
    return [
        (by_icao[report.station], report.taf)
        for report in parsed
        if report and report.station in by_icao
    ]
