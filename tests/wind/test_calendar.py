"""The private calendar feed."""

import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import icalendar
import numpy as np
import pytest

from quartet.wind.calendar.events import document
from quartet.wind.calendar.tables import calendar_feeds
from quartet.wind.calendar.types import CalendarReader
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.outlook.types import GoodWindow, Outlook, SpotOutlook, Wanted
from quartet.wind.spots.types import Favorite
from tests.client import Client
from tests.wind.alert_api import HOUR, add_spot
from tests.wind.quiet import quiet
from tests.wind.runs import finished_run
from tests.wind.signed_in_users import SignedInUser, signed_in_user

pytestmark = pytest.mark.anyio
EUROPE = Grid.over(Area(0, 45, 20, 60), 1.0)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Client]:
    """A site with a run of 18 knots from the west, everywhere and always."""
    run = int(time.time()) // (3 * HOUR) * 3 * HOUR
    numbers = np.zeros((49, 3, EUROPE.points), np.int16)
    numbers[:, 0], numbers[:, 2] = 1800, 2300
    finished_run(tmp_path / "grids", EUROPE, numbers, run=run)
    async with quiet(tmp_path) as client:
        yield client


@pytest.fixture
async def anna(site: Client) -> SignedInUser:
    return await signed_in_user(site)


async def test_feed_contains_good_windows(site: Client, anna: SignedInUser) -> None:
    spot = await add_spot(anna)
    assert (await anna.browser.get("/api/calendar")).json() == {}
    path = (await anna.browser.post("/api/calendar")).json()["path"]
    # A calendar has no cookies.
    answer = await site.get(path)
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert answer.headers["cache-control"] == "private, no-store"
    calendar = icalendar.Calendar.from_ical(answer.content)
    assert calendar["version"] == "2.0" and calendar["prodid"] and not calendar.errors
    (outlook,) = (await anna.browser.get("/api/favorites/outlook")).json()["spots"]
    events = calendar.walk("VEVENT")
    assert len(events) == len(outlook["windows"]) > 0
    for event, window in zip(events, outlook["windows"], strict=True):
        assert not event.errors
        assert event.decoded("dtstart") == datetime.fromtimestamp(window["from"], UTC)
        assert event.decoded("dtend") - event.decoded("dtstart") >= timedelta(hours=2)
        assert str(event["summary"]) == "Kite Nord: 18 kn W"
        assert str(event["url"]) == f"http://localhost:8450/spots/{spot}"
        assert "gusts up to 23 kn" in str(event["description"])
    await anna.browser.patch("/api/me", json={"units": {"wind": "mph"}})
    (first, *_) = icalendar.Calendar.from_ical((await site.get(path)).content).walk("VEVENT")
    assert str(first["summary"]) == "Kite Nord: 21 mph W"
    assert "gusts up to 26 mph" in str(first["description"])
    assert len({str(event["uid"]) for event in events}) == len(events)


async def test_address_is_secret_and_revocable(site: Client, anna: SignedInUser) -> None:
    path = "/api/calendar"
    old = (await anna.browser.post(path)).json()["path"]
    new = (await anna.browser.post(path)).json()["path"]
    assert await site.code("GET", old) == (404, "not_found")
    assert (await site.get(new)).status_code == 200
    rows = await site.started.kernel.db.read(
        lambda conn: conn.execute(calendar_feeds.select()).all()
    )
    assert new.removeprefix("/api/calendar/").removesuffix(".ics") not in str(rows)
    assert (await anna.browser.delete(path)).status_code == 204
    assert (await anna.browser.get(path)).json() == {}
    assert await site.code("GET", new) == (404, "not_found")
    for name in ("x.ics", new.removeprefix("/api/calendar/").removesuffix(".ics")):
        assert await site.code("GET", f"{path}/{name}") == (404, "not_found")
    for method in ("GET", "POST", "DELETE"):
        assert await site.code(method, path) == (401, "signed_out")


async def test_requests_are_limited(site: Client, anna: SignedInUser) -> None:
    path = (await anna.browser.post("/api/calendar")).json()["path"]
    for _ in range(60):
        assert (await site.get(path)).status_code == 200
    assert await site.code("GET", path) == (429, "too_many_requests")


async def test_names_cannot_add_properties() -> None:
    name = "Föhr; a, b\\c\r\nDTSTART:19700101T000000Z " + "ä" * 80
    spot = Favorite(1, name, 54.7, 8.5, "Europe/Berlin", [], 0)
    window = GoodWindow(HOUR, 4 * HOUR, "icon-eu", 15.2, 21.7, None, None, [])
    outlook = Outlook(0, [SpotOutlook(spot, Wanted("default", 12), None, [window])])
    written = document(outlook, CalendarReader("de", "ms"), "https://wind.example.org", str.upper)
    assert max(len(line) for line in written.split(b"\r\n")) <= 75
    (event,) = icalendar.Calendar.from_ical(written).walk("VEVENT")
    shown = name.replace("\r", "")
    assert str(event["summary"]) == f"{shown}: 8-11 m/s"
    assert event.decoded("dtstart") == datetime.fromtimestamp(HOUR, UTC)
    assert str(event["description"]) == "Modell ICON-EU"
