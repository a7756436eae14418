"""Ten-year statistics: counting, background computation and resuming."""

import io
import zipfile
import zlib
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient
from quartet.wind.fetcher import Fetcher
from quartet.wind.stations.types import KnownStation
from quartet.wind.stats.archives import (
    Archives,
    HourlyRows,
    Year,
    rows_of_json,
    year_of,
    years_of_archives,
)
from quartet.wind.stats.counts import count_hours, has_forces, sum_years
from quartet.wind.stats.service import Statistics
from quartet.wind.stats.types import Pending, Ready, StatsSource
from tests.wind.station_setup import KIEL, LIGHTHOUSE, NOW, Site, site_at
from tests.wind.upstream import provider

pytestmark = pytest.mark.anyio

HOUR = 3600
YEAR = int(datetime(2021, 1, 1, tzinfo=UTC).timestamp())
YEARS = list(range(2016, 2026))


def hours(wind: float, direction: float = 270) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    times = np.arange(YEAR, YEAR + 365 * 86400, HOUR)
    return times, np.full(len(times), wind), np.full(len(times), direction)


async def test_months_hours_and_directions_are_counted() -> None:
    times, wind, direction = hours(12.4)
    evening = (times // HOUR % 24) >= 12
    wind = np.where(evening, 22.0, wind)
    months, day = sum_years([count_hours(times, wind, direction, "UTC")] * 2)
    january = months[0]
    assert (january.month, january.n) == (1, 2 * 31 * 24)
    assert january.hours_over == {"5": 1, "10": 1, "15": 0.5, "20": 0.5, "25": 0, "30": 0}
    assert january.mean == pytest.approx((12.5 + 22.5) / 2)
    assert 12 <= january.p50 <= 23 and 22 <= january.p90 <= 23
    assert january.rose[12] == 1 and sum(january.rose) == 1
    assert [each.hours_over["20"] for each in day] == [0.0] * 12 + [1.0] * 12


async def test_directions_are_counted_by_force_and_hours_by_month() -> None:
    times, wind, direction = hours(12.4)
    evening = (times // HOUR % 24) >= 12
    counted = count_hours(times, np.where(evening, 22.0, wind), direction, "UTC")
    months, _ = sum_years([counted])
    # Half of the hours have 10 to 15 knots, the others 20 to 25, all from the west.
    assert months[0].forces[12] == [0, 0, 0.5, 0, 0.5, 0, 0]
    assert sum(map(sum, months[0].forces)) == 1
    assert months[0].hour_means == [12.5] * 12 + [22.5] * 12
    assert has_forces(counted) and not has_forces(without_forces(counted))


def without_forces(year: bytes) -> bytes:
    """Return a year as versions stored it that did not count directions by force."""
    return zlib.compress(zlib.decompress(year)[: 4 * (12 * 24 * 101 + 12 * 16)])


async def test_years_without_forces_are_shown_and_read_again(site: Site) -> None:
    year = count_hours(*hours(12.4), "UTC")
    statistics = Statistics(site.db, site.stations, Old(without_forces(year)), site.clock)
    await statistics.of(KIEL, "visitor")
    await statistics.work()
    ready = await statistics.of(KIEL, "visitor")
    assert isinstance(ready, Ready) and ready.months[0].rose[12] == 1
    assert ready.months[0].forces == []
    statistics = Statistics(site.db, site.stations, Old(year), site.clock)
    await statistics.of(KIEL, "visitor")
    assert await statistics.work()
    ready = await statistics.of(KIEL, "visitor")
    assert isinstance(ready, Ready) and sum(map(sum, ready.months[0].forces)) == 1


class Old:
    """Has the same counts for every year."""

    def __init__(self, counts: bytes) -> None:
        self._counts = counts

    async def years(
        self, station: KnownStation, wanted: list[int]
    ) -> AsyncIterator[tuple[StatsSource, Year]]:
        for year in wanted:
            yield "demo", Year(year, self._counts)


async def test_hours_are_in_local_time() -> None:
    times, wind, direction = hours(3)
    noon = (times // HOUR % 24) == 12
    months, day = sum_years([count_hours(times, np.where(noon, 30, wind), direction, "Asia/Tokyo")])
    assert [each.hour for each in day if each.hours_over["30"]] == [21]
    assert sum(month.n for month in months) == len(times)


async def test_calm_and_unknown_directions_are_not_in_the_rose() -> None:
    times, wind, direction = hours(0.4, np.nan)
    months, _ = sum_years([count_hours(times, wind, direction, "UTC")])
    assert months[5].rose == [0.0] * 16 and months[5].mean == 0.5


def archive(*years: int, more: Iterable[str] = ()) -> bytes:
    lines = ["STATIONS_ID;MESS_DATUM;QN_3;   F;   D;eor", *more]
    for year in years:
        start = int(datetime(year, 1, 1, tzinfo=UTC).timestamp())
        for time in range(start, start + 365 * 86400, HOUR):
            day = datetime.fromtimestamp(time, UTC).strftime("%Y%m%d%H")
            lines.append(f"       2564;{day};   10;   5.0; 230;eor")
    lines.append("       2564;2019010100;   10;-999; -999;eor")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("Metadaten_Geographie_02564.txt", "nothing")
        packed.writestr("produkt_ff_stunde_02564.txt", "\n".join(lines))
    return out.getvalue()


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


async def test_measured_years_are_preferred(site: Site, tmp_path: Path) -> None:
    wind = tmp_path / "up" / "cdc" / "hourly" / "wind"
    name = "stundenwerte_FF_02564_19740101_20251231_hist.zip"
    for folder in ("historical", "recent"):
        (wind / folder).mkdir(parents=True)
    (wind / "historical" / name).write_bytes(archive(2014, 2018, 2025))
    async with provider(tmp_path / "up") as served, OutboundClient(allow_private=True) as outbound:

        async def listing(_request: web.Request) -> web.StreamResponse:
            return web.Response(text=f'<a href="{name}">{name}</a> <a href="x_02565_hist.zip">')

        served.faults["historical/"] = listing
        at = served.address
        archives = Archives(Fetcher(lambda: outbound), f"{at}/cdc", f"{at}/om", 0)
        statistics = Statistics(site.db, site.stations, archives, site.clock)
        assert await statistics.of(KIEL, "visitor") == Pending(0.0)
        assert await statistics.work()
        ready = await statistics.of(KIEL, "visitor")
        assert isinstance(ready, Ready)
        assert (ready.source, ready.years) == ("dwd", [2018, 2025])
        assert ready.months[6].mean == pytest.approx(9.5) and ready.months[6].rose[10] == 1
        assert not await statistics.work()
        answer = msgspec.json.decode(msgspec.json.encode(ready))
        assert answer["status"] == "ready" and "hoursOver" in answer["months"][0]


class Half:
    """Fails after some years."""

    def __init__(self, good: int) -> None:
        self.good = good
        self.work_requested: list[list[int]] = []

    async def years(
        self, station: KnownStation, wanted: list[int]
    ) -> AsyncIterator[tuple[StatsSource, Year]]:
        self.work_requested.append(wanted)
        for number, year in enumerate(wanted):
            if number == self.good:
                raise AppError(502, "statistics_unreadable")
            rows = HourlyRows([YEAR + hour * HOUR for hour in range(48)], [9.0] * 48, [None] * 48)
            yield "open_meteo", year_of(year, rows, station.timezone)


async def test_interrupted_computation_is_resumed(site: Site) -> None:
    half = Half(3)
    statistics = Statistics(site.db, site.stations, half, site.clock)
    await statistics.of(KIEL, "visitor")
    assert await statistics.work()
    pending = await statistics.of(KIEL, "visitor")
    assert isinstance(pending, Pending) and pending.progress == 0.3
    assert pending.error is not None and pending.error.code == "statistics_unreadable"
    assert not await statistics.work()
    half.good = 99
    site.clock.now = NOW + 3601
    assert await statistics.work()
    assert half.work_requested == [YEARS, YEARS[3:]]
    assert isinstance(await statistics.of(KIEL, "visitor"), Ready)
    await statistics.retry(KIEL)
    assert await statistics.of(KIEL, "visitor") == Pending(0.0)


async def test_one_visitor_cannot_fill_the_queue(site: Site) -> None:
    statistics = Statistics(site.db, site.stations, Half(99), site.clock)
    for _ in range(20):
        await statistics.of(KIEL, "crawler")
        await site.db.write(lambda tx: tx.conn.exec_driver_sql("DELETE FROM statistics"))
    assert await statistics.of(LIGHTHOUSE, "crawler") == Pending(0.0)
    assert not await statistics.work()
    await statistics.of(LIGHTHOUSE, "visitor")
    assert await statistics.work()


class Broken(Half):
    async def years(
        self, station: KnownStation, wanted: list[int]
    ) -> AsyncIterator[tuple[StatsSource, Year]]:
        if station.slug == KIEL:
            raise ZeroDivisionError
        async for each in super().years(station, wanted):
            yield each


async def test_unreadable_archive_does_not_block_others(site: Site) -> None:
    statistics = Statistics(site.db, site.stations, Broken(99), site.clock)
    await statistics.of(KIEL, "visitor")
    await statistics.of(LIGHTHOUSE, "visitor")
    while await statistics.work():
        pass
    assert isinstance(await statistics.of(LIGHTHOUSE, "visitor"), Ready)
    pending = await statistics.of(KIEL, "visitor")
    assert isinstance(pending, Pending) and pending.error is not None
    assert pending.error.code == "internal"


async def test_rows_with_invalid_date_are_skipped(site: Site) -> None:
    kiel = await site.stations.by_slug(KIEL)
    rows = ("2021xx0100", "20x1010100", "2021023000", "2021010125", "", "²021010100")
    odd = [f"       2564;{each};   10;   5.0; 230;eor" for each in rows]
    (year,) = years_of_archives([archive(2021, more=odd)], [2020, 2021], kiel)
    (good,) = years_of_archives([archive(2021)], [2020, 2021], kiel)
    assert year == good


async def test_new_year_is_added_while_old_statistics_are_shown(site: Site) -> None:
    half = Half(99)
    statistics = Statistics(site.db, site.stations, half, site.clock)
    await statistics.of(KIEL, "visitor")
    await statistics.work()
    site.clock.now = NOW + 190 * 86400
    assert isinstance(await statistics.of(KIEL, "visitor"), Ready)
    assert await statistics.work()
    assert half.work_requested[1] == [2026]
    ready = await statistics.of(KIEL, "visitor")
    assert isinstance(ready, Ready) and ready.years == [*YEARS[1:], 2026]


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b"{}", b'{"hourly": null}', b'{"error": true, "reason": "limit"}'],
)
async def test_response_without_wind_is_rejected(body: bytes) -> None:
    with pytest.raises(AppError, match="statistics_unreadable"):
        rows_of_json(body)


async def test_reanalysis_wind_in_any_unit() -> None:
    hourly = {
        "time": ["2021-01-01T00:00", "2021-01-01T01:00"],
        "wind_speed_10m": [18.52, None],
        "wind_direction_10m": [90, None],
    }
    answer = {"hourly_units": {"wind_speed_10m": "km/h"}, "hourly": hourly}
    rows = rows_of_json(msgspec.json.encode([answer]))
    assert (rows.times, rows.direction) == ([YEAR], [90])
    assert rows.wind == pytest.approx([10])
