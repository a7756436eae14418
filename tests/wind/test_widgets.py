"""Forecasts for other pages, displays and home automation."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.client import Client
from tests.wind.quiet import quiet
from tests.wind.runs import finished_run
from tests.wind.test_forecasts import EUROPE, steady

pytestmark = pytest.mark.anyio

HOUR = 3600
PLACE = "lat=54.3&lon=10.1"


@pytest.fixture
async def wind(tmp_path: Path) -> AsyncIterator[Client]:
    """A site with one run of west wind."""
    now = int(time.time()) // HOUR * HOUR
    numbers = steady(EUROPE, 49, 12, 0, 16)
    finished_run(tmp_path / "grids", EUROPE, numbers, model="icon-d2", run=now - HOUR)
    async with quiet(tmp_path, widget_cross_origin=True) as client:
        yield client


async def test_widget_json_has_this_hour_and_the_next_days(wind: Client) -> None:
    answer = await wind.get(f"/api/widget?{PLACE}&name=Laboe")
    found = answer.json()
    assert (found["name"], found["now"]["wind"], found["now"]["direction"]) == ("Laboe", 12.0, 270)
    assert found["now"]["time"] == found["hours"][0]["time"] <= time.time()
    assert found["now"]["p10"] < 12 < found["now"]["p90"] and "measured" not in found
    assert 46 <= len(found["hours"]) <= 48
    assert answer.headers["access-control-allow-origin"] == "*"
    assert await wind.code("GET", "/api/widget?lat=91&lon=0") == (400, "invalid_coordinates")
    assert await wind.code("GET", "/api/widget?station=nowhere") == (404, "not_found")


async def test_only_the_embedded_page_may_be_framed(wind: Client) -> None:
    page = await wind.get(f"/embed?{PLACE}")
    assert "frame-ancestors *" in page.headers["content-security-policy"]
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    for path in ("/", f"/display?{PLACE}", f"/embed.svg?{PLACE}", "/embed/other", "/embedded"):
        policy = (await wind.get(path)).headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy


async def test_scripts_of_other_sites_may_not_read_widgets_by_default(tmp_path: Path) -> None:
    async with quiet(tmp_path) as client:
        answer = await client.get(f"/api/widget?{PLACE}")
        assert answer.status_code == 200 and answer.json()["hours"] == []
        assert "access-control-allow-origin" not in answer.headers
        assert "Keine Vorhersage" in (await client.get(f"/embed?{PLACE}&lang=de")).text
        assert "Keine aktuellen Daten" in (await client.get(f"/display?{PLACE}&lang=de")).text
        assert await client.code("GET", f"/embed.png?{PLACE}") == (404, "not_found")


async def test_pictures_are_valid_and_escape_names(wind: Client) -> None:
    name = "%3Cscript%3Ealert(1)%3C/script%3E"
    answer = await wind.get(f"/embed.svg?{PLACE}&name={name}&unit=ms&lang=de&theme=dark")
    assert answer.headers["content-type"] == "image/svg+xml"
    drawn = ElementTree.fromstring(answer.text)
    texts = [each.text or "" for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "<script>alert(1)</script>" and "m/s" in texts[1] and "Böen" in texts[1]
    # 12 knots are 6 metres per second.
    assert "6" in texts and "<script>" not in (await wind.get(f"/embed?{PLACE}&name={name}")).text
    picture = await wind.get(f"/embed.png?{PLACE}&name=Laboe")
    assert picture.content.startswith(b"\x89PNG")
    in_mph = await wind.get(f"/embed.png?{PLACE}&name=Laboe&unit=mph")
    assert in_mph.content.startswith(b"\x89PNG") and in_mph.content != picture.content
    assert (await wind.get(f"/embed?{PLACE}&unit=mps")).status_code == 400


async def test_narrow_windows_show_every_sixth_hour(wind: Client) -> None:
    page = (await wind.get(f"/embed?{PLACE}&name=Club")).text
    wide, narrow = (part.split("</svg>")[0] for part in page.split("<svg ")[1:])
    assert 'viewBox="0 0 360 280"' in narrow and 'class="narrow"' in narrow
    bars = [part.count('rx="2"') for part in (wide, narrow)]
    assert bars[0] > bars[1] >= bars[0] // 2


async def test_display_shows_the_wind_now_and_reloads(wind: Client) -> None:
    page = (await wind.get(f"/display?{PLACE}&name=Club&lang=de")).text
    assert '<meta http-equiv="refresh" content="120">' in page
    assert "<b>12</b><span>kn</span><span>W</span><span>Böen 16</span>" in page
    assert "Vorhersage, wahrscheinlich" in page and "<svg" in page
