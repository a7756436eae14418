"""A user with spots, an alert and sails, in a browser."""

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

from tests.browser.visits import Look, Visit
from tests.browser.wind_demo import STATION, Demo
from tests.browser.wind_users import localhost_address, sign_up_with_password

PATIENT_SECONDS = 60
SPOTS: list[dict[str, Any]] = [
    {"name": "Hamburg", "lat": 53.63, "lon": 9.99, "station": STATION},
    {"name": "Helgoland", "lat": 54.18, "lon": 7.89},
    {"name": "Ording", "lat": 54.3, "lon": 8.6, "directions": [{"from": 304, "to": 33}]},
]
ALARM: dict[str, Any] = {
    "enabled": True,
    "windMin": 5,
    "hours": {"from": 0, "to": 24},
    "weekdays": [1, 2, 3, 4, 5, 6, 7],
    "leadHours": 72,
    "minHours": 2,
    "channels": {"push": True, "email": False},
}
SAILS = [("Duke", 5.3), ("Freek", 7)]


def sign_up_with_spots(visit: Visit, demo: Demo, email: str, look: Look | None = None) -> Page:
    """Sign up a user with three spots, an alert for the first, and two sails."""
    home = localhost_address(demo)
    page = visit(f"{home}/sign-up", look)
    sign_up_with_password(page, home, email)
    made = [page.request.post(f"{home}/api/favorites", data=spot).json()["id"] for spot in SPOTS]
    assert page.request.put(f"{home}/api/alarms/{made[0]}", data=ALARM).ok
    sails = [{"kind": "sail", "name": name, "size": size, "unit": "m²"} for name, size in SAILS]
    assert page.request.put(f"{home}/api/gear", data={"items": sails}).ok
    return page


def wait_until(page: Page, condition: Callable[[], bool]) -> None:
    """Wait for something that the browser does outside of the page."""
    end = time.monotonic() + PATIENT_SECONDS
    while not condition():
        assert time.monotonic() < end
        page.wait_for_timeout(50)
