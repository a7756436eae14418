"""Water levels: units, tides, missing coordinates and failing sources."""

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
