"""Measurements and reports: fetched from fake sources, stored once, requested over HTTP."""

import csv
import gzip
import io
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient
from quartet.wind.app import SERVICE
from quartet.wind.fetcher import Fetcher
from quartet.wind.observations.sources import SourceAddresses, Sources
from quartet.wind.observations.types import Measurement
from tests.client import Client, client_of
from tests.database_backend import database_settings
from tests.wind.station_setup import KIEL, LIGHTHOUSE, NOW, Site, site_at
from tests.wind.upstream import Provider, provider

pytestmark = pytest.mark.anyio

HOUR = 3600
CACHE = "aviation/data/cache/metars.cache.csv.gz"
TAFS = "aviation/data/cache/tafs.cache.xml.gz"
HAMBURG = "hamburg-airport-eddh"


def day(time: int, form: str = "%d%H%M") -> str:
    return datetime.fromtimestamp(time, UTC).strftime(form)


def bulk(*reports: tuple[str, int]) -> bytes:
    out = io.StringIO("No errors\nNo warnings\n3 ms\ndata source=metars\n1 results\n")
    out.seek(0, io.SEEK_END)
    writer = csv.writer(out)
    writer.writerow(["raw_text", "station_id", "observation_time", "latitude"])
    for raw, time in reports:
        writer.writerow([raw, raw[:4], day(time, "%Y-%m-%dT%H:%M:%SZ"), "1"])
    return gzip.compress(out.getvalue().encode())


def metar(time: int, wind: str = "24012G25KT", station: str = "EDDH") -> tuple[str, int]:
    return f"{station} {day(time)}Z AUTO {wind} 9999 10/05 Q1016", time


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


@pytest.fixture
async def upstream(tmp_path: Path) -> AsyncIterator[Provider]:
    async with provider(tmp_path / "upstream") as served:
        yield served


@pytest.fixture
async def sources(site: Site, upstream: Provider) -> AsyncIterator[Sources]:
    async with OutboundClient(allow_private=True, retries=0) as outbound:
        at = upstream.address
        addresses = SourceAddresses(f"{at}/aviation", f"{at}/poi", f"{at}/cdc")
        yield Sources(Fetcher(lambda: outbound), addresses, site.stations, site.observations, 0)


def put(upstream: Provider, path: str, body: bytes) -> None:
    target = upstream.folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(body)


async def test_metars_of_the_world_come_in_one_file(
    site: Site, upstream: Provider, sources: Sources
) -> None:
    time = NOW - 1800
    put(
        upstream, CACHE, bulk(metar(time), metar(time, "VRB02KT", "KJFK"), metar(time, "X", "ZZZZ"))
    )
    assert await sources.metars() == 2
    live = await site.observations.live(HAMBURG)
    minute = time // 60 * 60
    assert live.latest == Measurement(minute, 12, 240, "metar", 25)
    assert live.station.live
    assert (await site.observations.live("john-f-kennedy-kjfk")).latest == Measurement(
        minute, 2, None, "metar", variable=True
    )
    # An unchanged file is not sent again.
    assert await sources.metars() == 0
    put(upstream, CACHE, bulk(metar(time), metar(NOW - 60)))
    assert await sources.metars() == 1
    assert len((await site.observations.live(HAMBURG)).recent) == 2


async def test_reports_from_future_and_distant_past_are_rejected(
    site: Site, upstream: Provider, sources: Sources
) -> None:
    put(upstream, CACHE, bulk(metar(NOW + 2 * HOUR), metar(NOW - 40 * 86400)))
    assert await sources.metars() == 0
    assert (await site.observations.live(HAMBURG)).latest is None


async def html(_request: web.Request) -> web.StreamResponse:
    return web.Response(text="<html>maintenance</html>", content_type="text/html")


async def broken(_request: web.Request) -> web.StreamResponse:
    return web.Response(body=bulk(metar(NOW))[:-20])


async def bomb(_request: web.Request) -> web.StreamResponse:
    return web.Response(body=gzip.compress(bytes(120_000_000), 1))


async def unwell(_request: web.Request) -> web.StreamResponse:
    raise web.HTTPServiceUnavailable


@pytest.mark.parametrize("fault", [html, broken, bomb, unwell])
async def test_source_failure_changes_nothing_and_retry_works(
    site: Site, upstream: Provider, sources: Sources, fault: object
) -> None:
    put(upstream, CACHE, bulk(metar(NOW - 1800)))
    assert await sources.metars() == 1
    upstream.faults["metars.cache.csv.gz"] = fault  # type: ignore[assignment]
    upstream.faults["metar"] = unwell
    with pytest.raises(AppError):
        await sources.metars()
    assert (await site.observations.live(HAMBURG)).latest is not None
    upstream.faults.clear()
    put(upstream, CACHE, bulk(metar(NOW - 60)))
    assert await sources.metars() == 1


async def test_stations_are_requested_by_code_if_file_is_missing(
    site: Site, upstream: Provider, sources: Sources
) -> None:
    site.stations.record_report(await site.id_of(HAMBURG), NOW - 3000)

    async def answer(request: web.Request) -> web.StreamResponse:
        assert request.query["ids"] == "EDDH"
        return web.json_response([{"icaoId": "EDDH", "obsTime": NOW - 600, "rawOb": metar(NOW)[0]}])

    upstream.faults["metars.cache.csv.gz"] = unwell
    upstream.faults["/api/data/metar"] = answer
    assert await sources.metars() == 1


async def test_newest_taf_is_shown_until_it_expires(
    site: Site, upstream: Provider, sources: Sources
) -> None:
    def taf(issued: int, wind: int) -> str:
        start = issued // HOUR * HOUR + HOUR
        window = f"{day(start, '%d%H')}/{day(start + 24 * HOUR, '%d%H')}"
        raw = f"TAF EDDH {day(issued)}Z {window} 240{wind}KT 9999 &lt;x"
        when = day(issued, "%Y-%m-%dT%H:%M:%SZ")
        return f"<TAF><raw_text>{raw}</raw_text><issue_time>{when}</issue_time></TAF>"

    reports = taf(NOW - HOUR, 22) + taf(NOW - 7 * HOUR, 11) + "<TAF><raw_text>NIL</raw_text></TAF>"
    put(upstream, TAFS, gzip.compress(f"<response><data>{reports}</data></response>".encode()))
    assert await sources.tafs() == 1
    live = await site.observations.live(HAMBURG)
    assert live.taf is not None and live.taf.spans[0].wind == 22 and live.taf.raw.endswith("<x")
    site.clock.now += 26 * HOUR
    assert (await site.observations.live(HAMBURG)).taf is None


async def test_old_measurements_are_deleted(site: Site) -> None:
    number = await site.id_of(KIEL)
    await site.observations.add([(number, Measurement(NOW - 60, 5, 90, "metar"))])
    site.clock.now += 32 * 86400
    await site.observations.prune()
    rows = await site.observations.history(KIEL, [str(NOW - 600)], [str(NOW)])
    assert rows.times == []


async def test_latest_measurement_is_loaded_after_start(tmp_path: Path) -> None:
    async with site_at(tmp_path) as site:
        number = await site.id_of(KIEL)
        found = Measurement(NOW - 600, 5, None, "poi", None, True)
        await site.observations.add([(number, found)])
    async with site_at(tmp_path) as site:
        await site.observations.load()
        assert [(pin.slug, pin.latest) for pin in await site.observations.pins()] == [(KIEL, found)]


async def test_measurements_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    async with site_at(tmp_path, url=postgres_url) as site:
        number = await site.id_of(LIGHTHOUSE)
        for wind in (5.0, 6.0):
            found = Measurement(NOW - 600, wind, 90, "poi")
            assert await site.observations.add([(number, found)]) == 1
        assert (await site.observations.live(LIGHTHOUSE)).recent == [found]
        assert (await site.rankings.of(number)).buckets[0].n == 0


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[Client]:
    async with site_at(tmp_path, url=database_settings(SERVICE, tmp_path).get("database_url")):
        pass
    async with client_of(SERVICE, tmp_path) as client:
        yield client


BAD = [
    "",
    "from=1",
    "to=1794700000",
    "from=1794700000&to=1794600000",
    "from=0&to=1000000000",
    "from=-5&to=10",
    "from=1.5&to=10",
    "from=1e3&to=2e3",
    "from=1&to=253402300799",
    "from=1&from=1&to=2",
    "from=\u0665&to=9",
    "from=%00&to=9",
    f"from={'9' * 5000}&to=9",
]


async def test_invalid_time_ranges_are_rejected(browser: Client) -> None:
    for query in BAD:
        path = f"/api/stations/{KIEL}/history?{query}"
        assert await browser.code("GET", path) == (400, "invalid_range"), query


async def test_history_is_returned_as_columns(browser: Client) -> None:
    answer = (await browser.get(f"/api/stations/{KIEL}/history?from=100&to=2678500")).json()
    nothing: list[int] = []
    assert answer == {
        "from": 100,
        "to": 2678500,
        "times": nothing,
        "wind": nothing,
        "gust": nothing,
        "direction": nothing,
    }
    live = (await browser.get(f"/api/stations/{KIEL}/live")).json()
    assert (live["latest"], live["recent"], live["taf"]) == (None, [], None)
