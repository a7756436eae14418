"""Parsers for DWD measurements."""

import io
import zipfile
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient
from quartet.wind.fetcher import Fetcher
from quartet.wind.observations.cdc import parse_ten_minutes
from quartet.wind.observations.poi import parse_poi
from quartet.wind.observations.sources import SourceAddresses, Sources
from quartet.wind.observations.types import Measurement
from quartet.wind.stations.types import Codes
from tests.wind.station_setup import HAMBURG, LIGHTHOUSE, NOW, Site, site_at
from tests.wind.upstream import provider

HOUR = NOW // 3600 * 3600
NAMES = (
    "surface observations;Parameter description;maximum_wind_speed_last_hour;"
    "mean_wind_direction_during_last_10 min_at_10_meters_above_ground;"
    "mean_wind_speed_during last_10_min_at_10_meters_above_ground"
)


def poi(*rows: str) -> str:
    head = [NAMES, "10147;Unit;km/h;Grad;km/h", "Datum;Uhrzeit (UTC);Böen;Richtung;Wind"]
    return "\n".join([*head, *rows])


def when(time: int) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%d.%m.%y;%H:%M")


def zipped(header: str, *rows: str, name: str = "produkt_zehn_now_ff_02961.txt") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, "\n".join([header, *rows]))
    return out.getvalue()


def minute(time: int) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y%m%d%H%M")


MEAN = "STATIONS_ID;MESS_DATUM;  QN;PP_10;FF_10;DD_10;eor"
EXTREMES = "STATIONS_ID;MESS_DATUM;  QN;FX_10;FNX_10;FMX_10;DX_10;eor"


def mean(*rows: tuple[int, float, float]) -> bytes:
    lines = [f"  2961;{minute(t)};    2; -999;{f:6.1f};{d:5.0f};eor" for t, f, d in rows]
    return zipped(MEAN, *lines)


def test_hourly_measurements_are_converted_to_knots() -> None:
    rows = [f"{when(HOUR)};37,04;270;18,52", f"{when(HOUR - 3600)};---;---;---", "x;y;1;2;3", ""]
    (parsed,) = parse_poi(poi(*rows))
    assert parsed == Measurement(HOUR, 10.0, 270, "poi", 20.0)
    (calm,) = parse_poi(poi(f"{when(HOUR)};---;0;0"))
    assert (calm.wind, calm.direction, calm.gust) == (0, None, None)
    assert list(parse_poi(poi(f"{when(HOUR)};9999;400;18"))) == []


@pytest.mark.parametrize("text", ["", "<html>", "a;b\nc;d", NAMES, f"{NAMES}\nx;Unit;mph;Grad;mph"])
def test_unknown_format_is_rejected(text: str) -> None:
    with pytest.raises(AppError, match="report_unreadable"):
        list(parse_poi(text))


def test_gusts_come_from_the_archive_of_extremes() -> None:
    gusts = zipped(EXTREMES, f"  2961;{minute(HOUR)};    2;   9.0;   1;   2; 240;eor")
    first, second = parse_ten_minutes(mean((HOUR, 5.0, 230), (HOUR + 600, 5.0, -999)), gusts)
    assert first == Measurement(HOUR, 9.7, 230, "ten_minutes", 17.5)
    assert (second.direction, second.gust) == (None, None)
    assert list(parse_ten_minutes(mean((HOUR, -999, 230)), None)) == []


GOOD = mean(*((HOUR + 600 * number, number % 90, 230) for number in range(200)))


@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_changed_byte_is_read_or_rejected(place: int, change: int) -> None:
    damaged = bytearray(GOOD)
    damaged[place] ^= change
    with suppress(AppError):
        list(parse_ten_minutes(bytes(damaged), None))


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", mean((HOUR, 5, 230))[:-30], zipped("a;b"), zipped(MEAN, name="other.txt")],
)
def test_damaged_archives_are_rejected(body: bytes) -> None:
    with pytest.raises(AppError, match="report_unreadable"):
        list(parse_ten_minutes(body, None))


@given(st.binary(max_size=300))
def test_random_bytes_are_rejected_cleanly(body: bytes) -> None:
    with pytest.raises(AppError):
        list(parse_ten_minutes(body, None))
    with pytest.raises(AppError):
        list(parse_poi(body.decode("latin-1")))


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


@pytest.mark.anyio
async def test_damaged_file_of_one_station_does_not_affect_others(
    site: Site, tmp_path: Path
) -> None:
    other = msgspec.structs.replace(HAMBURG, lat=52.0, name="Sea", codes=Codes(wmo="10147"))
    await site.stations.import_list("more", "1", lambda: [other])
    up = tmp_path / "up"
    ten = up / "cdc" / "10_minutes" / "wind" / "now"
    ten.mkdir(parents=True)
    (up / "poi").mkdir()
    (up / "poi" / "10147-BEOB.csv").write_text(poi(f"{when(HOUR)};37;270;18"), "latin-1")
    (ten / "10minutenwerte_wind_02961_now.zip").write_bytes(mean((HOUR, 5.0, 230)))
    (ten / "10minutenwerte_wind_02564_now.zip").write_bytes(b"half")
    async with provider(up) as served, OutboundClient(allow_private=True, retries=0) as outbound:
        at = served.address
        addresses = SourceAddresses(f"{at}/aviation", f"{at}/poi", f"{at}/cdc")
        sources = Sources(Fetcher(lambda: outbound), addresses, site.stations, site.observations, 0)
        assert await sources.ten_minutes() == 1
        assert await sources.poi() == 1
        # Unchanged files are not sent again.
        assert await sources.ten_minutes() == 0
    latest = (await site.observations.live(LIGHTHOUSE)).latest
    assert latest is not None and latest.wind == 9.7
    assert (await site.observations.live("sea-10147")).station.live
