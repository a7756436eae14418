"""Water levels: units, tides, missing coordinates and failing sources."""

import math
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient
from quartet.wind.app import SERVICE
from quartet.wind.demo.gauges import DemoGauges
from quartet.wind.fetcher import Fetcher
from quartet.wind.gauges.pegelonline import parse_gauges, parse_series
from quartet.wind.gauges.service import Gauges, PegelOnline
from quartet.wind.gauges.tides import fit_tide, tides_of
from quartet.wind.gauges.types import LevelSeries, Tide
from quartet.wind.places.coordinates import Coordinates
from tests.client import client_of
from tests.wind.station_setup import NOW, Site, site_at
from tests.wind.upstream import Provider, provider

pytestmark = pytest.mark.anyio

KIEL = Coordinates(54.36, 10.15)


def stamp(time: int) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat()


def gauge(number: int = 1, **changes: Any) -> dict[str, Any]:
    current = {"timestamp": stamp(NOW - 600), "value": 512.0, "stateMnwMhw": "normal"}
    level = {"shortname": "W", "unit": "cm", "currentMeasurement": current}
    level |= {key: changes.pop(key) for key in ("unit", "characteristicValues") if key in changes}
    current |= {
        key: changes.pop(key) for key in ("value", "timestamp", "stateMnwMhw") if key in changes
    }
    return {
        "uuid": f"3ad4013f-644b-47f5-a641-{number:012}",
        "shortname": "KIEL-HOLTENAU",
        "latitude": 54.3721,
        "longitude": 10.1571,
        "water": {"shortname": "OSTSEE", "longname": "OSTSEE"},
        "timeseries": [{"shortname": "WT", "unit": "°C"}, level],
    } | changes


def one(**changes: Any) -> Any:
    found = parse_gauges([gauge(**changes)])
    return found[0] if found else None


async def test_gauge_names_are_in_title_case() -> None:
    kiel = one()
    assert (kiel.name, kiel.water, kiel.unit, kiel.level) == ("Kiel-Holtenau", "Ostsee", "cm", 512)
    assert (kiel.time, kiel.state, kiel.tidal) == (NOW - 600, "normal", False)


@pytest.mark.parametrize("state", ["unknown", "commented", "out-dated", None, 7])
async def test_unknown_state_words_are_ignored(state: Any) -> None:
    assert one(stateMnwMhw=state).state == "unknown"


async def test_tidal_gauge_has_no_state() -> None:
    values = [{"shortname": "MThw", "value": 652}, {"shortname": "MTnw", "value": 346}]
    for tidal in (one(characteristicValues=values), one(water={"shortname": "NORDSEE"})):
        assert (tidal.tidal, tidal.state, tidal.level) == (True, "unknown", 512)


async def test_metres_and_negative_levels_are_valid() -> None:
    assert (one(unit="m+NN", value=-1.234).unit, one(unit="m+NN", value=-1.234).level) == (
        "m+NN",
        -1.23,
    )


@pytest.mark.parametrize("value", [1e9, -1e9, None, "512", float("1e300")])
async def test_implausible_levels_are_dropped(value: Any) -> None:
    absurd = one(value=value)
    assert (absurd.level, absurd.time, absurd.state) == (None, None, "unknown")


@pytest.mark.parametrize(
    "changes",
    [
        {"latitude": None},
        {"longitude": "10"},
        {"latitude": 95},
        {"timeseries": []},
        {"timeseries": None},
        {"unit": "m³/s"},
        {"uuid": "../../etc"},
        {"shortname": None},
    ],
)
async def test_gauges_without_place_or_level_are_left_out(changes: dict[str, Any]) -> None:
    assert one(**changes) is None


async def test_series_is_thinned_and_sorted() -> None:
    rows = [{"timestamp": stamp(NOW - minute * 60), "value": minute} for minute in range(600)]
    series = parse_series([*rows, {"timestamp": "x"}, 5, {"timestamp": stamp(NOW), "value": 1e9}])
    assert series.times == sorted(series.times) and len(series.times) == 41
    with pytest.raises(AppError, match="gauges_unreadable"):
        parse_series({"status": 404})


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


class Upstream:
    def __init__(self, served: Provider) -> None:
        self.gauges = [gauge(1), gauge(2, latitude=54.45, timestamp=stamp(NOW - 900))]
        self.tag = "1"
        self.asked = 0
        served.faults["/stations.json"] = self.answer
        served.faults["/measurements.json"] = self.series

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("If-None-Match") == self.tag:
            return web.Response(status=304)
        return web.json_response(self.gauges, headers={"ETag": self.tag})

    async def series(self, request: web.Request) -> web.StreamResponse:
        assert request.query["start"] == "P7D"
        self.asked += 1
        if self.asked == 2:
            raise web.HTTPInternalServerError
        return web.json_response([{"timestamp": stamp(NOW - 3600), "value": 500 + self.asked}])


async def test_nearest_gauge_is_served_while_source_fails(site: Site, tmp_path: Path) -> None:
    async with (
        provider(tmp_path) as served,
        OutboundClient(allow_private=True, retries=0) as outbound,
    ):
        upstream = Upstream(served)
        water = PegelOnline(Fetcher(lambda: outbound), served.address)
        gauges = Gauges(site.db, water, site.clock)
        assert (await gauges.near(KIEL)).gauge is None
        await gauges.refresh()
        await gauges.refresh()
        near = (await gauges.near(KIEL)).gauge
        assert near is not None
        assert (near.name, near.distance_km, near.series.level) == ("Kiel-Holtenau", 1.4, [501])
        assert (await gauges.near(Coordinates(54.0, 10.15))).gauge is None
        # The previous series is used while the source is down, with few retries.
        site.clock.now += 601
        for _ in range(3):
            near = (await gauges.near(KIEL)).gauge
            assert near is not None and near.series.level == [501]
        assert upstream.asked == 2
        upstream.gauges, upstream.tag = [], "2"
        with pytest.raises(AppError, match="gauges_unreadable"):
            await gauges.refresh()
        assert len(await gauges.pins()) == 2
        again = Gauges(site.db, water, site.clock)
        await again.load()
        assert len(await again.pins()) == 2


async def test_stale_gauge_comes_last_with_a_notice(site: Site, tmp_path: Path) -> None:
    async with provider(tmp_path) as served, OutboundClient(allow_private=True) as outbound:
        upstream = Upstream(served)
        upstream.gauges[0] = gauge(1, timestamp=stamp(NOW - 20 * 86400), stateMnwMhw="high")
        gauges = Gauges(site.db, PegelOnline(Fetcher(lambda: outbound), served.address), site.clock)
        await gauges.refresh()
        near = (await gauges.near(KIEL)).gauge
        assert near is not None and near.id.endswith("2") and near.distance_km > 9
        assert [pin.state for pin in await gauges.pins()] == ["unknown", "normal"]
        site.clock.now += 86400
        near = (await gauges.near(KIEL)).gauge
        assert near is not None and near.id.endswith("1") and near.notice == "outdated"


async def test_demo_has_tides_and_a_week_of_levels(site: Site) -> None:
    gauges = Gauges(site.db, DemoGauges(site.clock), site.clock)
    await gauges.refresh()
    husum = (await gauges.near(Coordinates(54.48, 9.05))).gauge
    assert husum is not None and husum.tidal and husum.state == "unknown"
    assert max(husum.series.level) - min(husum.series.level) > 250
    assert husum.series.times[-1] - husum.series.times[0] == 7 * 86400


async def test_nearest_gauge_is_requested_over_http(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        assert (await client.get("/api/gauges/near?lat=54.3&lon=10.1")).json() == {"gauge": None}
        for query in ("", "lat=1", "lat=NaN&lon=1", "lat=91&lon=0", "lat=1&lat=1&lon=1"):
            path = f"/api/gauges/near?{query}"
            assert await client.code("GET", path) == (400, "invalid_coordinates")


# Constituents of a tide like that of Cuxhaven: degrees per hour, centimetres and degrees. Some of
# them cannot be told apart within a month, and the fit does not know them.
CONSTITUENTS = (
    (28.9841042, 134, 341),
    (30.0, 36, 50),
    (28.4397295, 22, 318),
    (30.0821373, 10, 50),
    (13.9430356, 11, 230),
    (15.0410686, 7, 30),
    (14.9589314, 2.5, 30),
    (57.9682084, 11, 230),
    (58.9841042, 7, 300),
    (86.9523127, 6, 60),
    (27.9682084, 12, 120),
    (28.5125831, 7, 310),
    (29.9589333, 2, 40),
)


def tide_level(time: float) -> float:
    """Return the level without weather."""
    return 500 + sum(
        size * math.cos(math.radians(speed * time / 3600 - phase))
        for speed, size, phase in CONSTITUENTS
    )


def true_tides(start: int, end: int) -> list[Tide]:
    """Find high and low water minute by minute."""
    found = []
    for time in range(start, end, 60):
        level = tide_level(time)
        around = [tide_level(time + minute * 60) for minute in range(-240, 241, 20)]
        adjacent = tide_level(time - 60), tide_level(time + 60)
        if level >= max(*around, *adjacent):
            found.append(Tide(time, "high", level))
        elif level <= min(*around, *adjacent):
            found.append(Tide(time, "low", level))
    return found


def month_until(now: int, days: int = 31) -> LevelSeries:
    """Return a month with wind, a storm surge, a gap and levels in whole centimetres."""
    times = [
        time
        for time in range(now - days * 86400, now, 900)
        if not 5 * 86400 < now - time < 6 * 86400
    ]
    levels = [
        round(
            tide_level(time)
            + 25 * math.sin(time / 86400 / 0.7)
            + 180 * math.exp(-(((now - time) / 86400 - 12) ** 2) / 0.2)
        )
        for time in times
    ]
    return LevelSeries(times, [float(level) for level in levels])


async def test_tides_are_predicted_from_the_last_month() -> None:
    fit = fit_tide(month_until(NOW))
    assert fit is not None
    predicted = tides_of(fit, NOW, NOW + 7 * 86400)
    truth = true_tides(NOW, NOW + 7 * 86400)
    assert [each.kind for each in predicted] == [each.kind for each in truth]
    assert len(truth) in (27, 28)
    minutes = [abs(one.time - two.time) / 60 for one, two in zip(predicted, truth, strict=True)]
    levels = [abs(one.level - two.level) for one, two in zip(predicted, truth, strict=True)]
    assert max(minutes) < 30 and sum(minutes) / len(minutes) < 12
    assert max(levels) < 35


async def test_tides_are_not_predicted_without_a_month_or_without_tide() -> None:
    assert fit_tide(month_until(NOW, days=20)) is None
    assert fit_tide(LevelSeries([], [])) is None
    times = list(range(NOW - 31 * 86400, NOW, 900))
    wind = [500 + 60 * math.sin(time / 86400 / 1.3) for time in times]
    assert fit_tide(LevelSeries(times, wind)) is None


class MonthSource:
    """A gauge at the North Sea; counts how often its month is fetched."""

    def __init__(self) -> None:
        self.days: list[int] = []
        self.down = False

    async def gauges(self) -> Any:
        return parse_gauges([gauge(water={"shortname": "NORDSEE"})])

    async def series(self, _gauge: Any, days: int) -> LevelSeries:
        self.days.append(days)
        if self.down:
            raise AppError(502, "bad_answer", address="x")
        return month_until(NOW, days)


async def test_near_gauge_and_station_have_tides(tmp_path: Path) -> None:
    async with site_at(tmp_path) as site:
        source = MonthSource()
        gauges = Gauges(site.db, source, site.clock)
        await gauges.refresh()
        near = (await gauges.near(KIEL)).gauge
        assert near is not None and near.tides
        truth = true_tides(NOW, NOW + 86400)
        soon = [each for each in near.tides if each.time >= NOW]
        assert [each.kind for each in soon[: len(truth)]] == [each.kind for each in truth]
        assert abs(soon[0].time - truth[0].time) < 30 * 60
        tides = await gauges.tides(KIEL)
        assert tides is not None and tides.tides == near.tides and tides.unit == "cm"
        # The month is fetched once a day; an older fit is used while the source is down.
        assert source.days.count(31) == 1
        site.clock.now += 86401
        source.down = True
        assert await gauges.tides(KIEL) is not None
        assert source.days.count(31) == 2
        assert await gauges.tides(Coordinates(47.0, 9.0)) is None
