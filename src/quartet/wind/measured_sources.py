"""Check that the sources of measurements and station lists can be read, for `check-sources`."""

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from quartet.kernel.errors import AppError
from quartet.wind.fetcher import Fetcher
from quartet.wind.gauges import pegelonline
from quartet.wind.observations import report_files
from quartet.wind.observations.cdc import parse_ten_minutes
from quartet.wind.observations.poi import parse_poi
from quartet.wind.settings import WindSettings
from quartet.wind.stations import dwd
from quartet.wind.stations.tasks import LIST_PATH

_MOST_BYTES = 50_000_000
# Hamburg airport has been measuring since 1936.
_WMO, _DWD = "10147", "01975"
_LONGEST_AGE = 3 * 3600


class SourceValues(NamedTuple):
    """How many values a source has, and when the newest is from, if they have times."""

    amount: int
    newest: float | None = None


class _MeasurementSource(NamedTuple):
    name: str
    address: str
    fewest: int
    read: Callable[[bytes], SourceValues]


class MeasuredCheck(NamedTuple):
    """`problem` is empty if the source is fine."""

    name: str
    amount: int = 0
    problem: str = ""


async def check_measured_sources(settings: WindSettings, fetcher: Fetcher) -> list[MeasuredCheck]:
    return [await _check(source, fetcher) for source in _sources(settings)]


def _sources(settings: WindSettings) -> tuple[_MeasurementSource, ...]:
    aviation, cdc = settings.aviation_address, settings.cdc_address.rstrip("/")
    wind = f"{cdc}/10_minutes/wind/now/10minutenwerte_wind_{_DWD}_now.zip"
    lists = f"{settings.pegelonline_address}/{pegelonline.LIST_QUERY}"
    return (
        _MeasurementSource("metar", f"{aviation}/data/cache/metars.cache.csv.gz", 1000, _metars),
        _MeasurementSource("taf", f"{aviation}/data/cache/tafs.cache.xml.gz", 500, _tafs),
        _MeasurementSource("poi", f"{settings.poi_address}/{_WMO}-BEOB.csv", 1, _hourly),
        _MeasurementSource("cdc", wind, 1, _ten_minutes),
        _MeasurementSource("cdc stations", f"{cdc}/{LIST_PATH}", 50, _stations),
        _MeasurementSource("mosmix stations", settings.mosmix_catalogue, 1000, _catalogue),
        _MeasurementSource("pegelonline", lists, 100, _gauges),
    )


async def _check(source: _MeasurementSource, fetcher: Fetcher) -> MeasuredCheck:
    try:
        body = await fetcher.fetch_if_changed(source.address, _MOST_BYTES)
        if body is None:
            return MeasuredCheck(source.name, 0, "not found")
        found = source.read(body)
    except (AppError, msgspec.MsgspecError, UnicodeError) as error:
        return MeasuredCheck(source.name, 0, str(error))
    if found.amount < source.fewest:
        return MeasuredCheck(source.name, found.amount, "too few values")
    old = found.newest is not None and time.time() - found.newest > _LONGEST_AGE
    return MeasuredCheck(source.name, found.amount, "late" if old else "")


def _of_times(times: Iterable[int]) -> SourceValues:
    found = list(times)
    return SourceValues(len(found), max(found, default=None))


def _metars(body: bytes) -> SourceValues:
    return _of_times(
        report.time for report in report_files.metars_of_csv(report_files.decompress(body))
    )


def _tafs(body: bytes) -> SourceValues:
    return SourceValues(len(list(report_files.tafs_of_xml(report_files.decompress(body)))))


def _hourly(body: bytes) -> SourceValues:
    return _of_times(each.time for each in parse_poi(body.decode("latin-1")))


def _ten_minutes(body: bytes) -> SourceValues:
    return _of_times(each.time for each in parse_ten_minutes(body, None))


def _stations(body: bytes) -> SourceValues:
    text = body.decode("latin-1")
    return SourceValues(len(list(dwd.parse_station_list(text, since="00000000"))))


def _catalogue(body: bytes) -> SourceValues:
    return SourceValues(len(list(dwd.parse_mosmix_catalogue(body.decode("latin-1")))))


def _gauges(body: bytes) -> SourceValues:
    gauges = pegelonline.parse_gauges(msgspec.json.decode(body))
    times = [each.time for each in gauges if each.time is not None]
    return SourceValues(len(gauges), max(times, default=None))


def table_of(checks: list[MeasuredCheck]) -> str:
    width = max(len(each.name) for each in checks)
    return "\n".join(
        f"{each.name.ljust(width)}  {each.amount:>6}  {each.problem or 'ok'}" for each in checks
    )
