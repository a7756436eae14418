"""The spot API."""

import asyncio
import logging
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.wind.accounts import store as accounts
from quartet.wind.places.service import Places
from quartet.wind.site.service import SiteSettings
from quartet.wind.spots.directions import is_within
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import Sector
from quartet.wind.stations.service import Stations
from tests.client import Client
from tests.wind.quiet import quiet
from tests.wind.signed_in_users import SignedInUser, signed_in_user
from tests.wind.station_setup import HAMBURG, load_lists

LABOE = {"name": "Laboe", "lat": 54.4012, "lon": 10.2349, "directions": [{"from": 300, "to": 60}]}


async def know_hamburg(site: Client) -> None:
    kernel = site.started.kernel
    places = Places(kernel.settings.data / "places")
    await load_lists(
        Stations(kernel.db, places, kernel.settings.data / "places", time.time), [HAMBURG]
    )


async def names(person: SignedInUser) -> list[str]:
    favorites = (await person.browser.get("/api/favorites")).json()["favorites"]
    return [each["name"] for each in favorites]


async def add(person: SignedInUser, name: str) -> int:
    answer = await person.browser.post("/api/favorites", json={**LABOE, "name": name})
    assert answer.status_code == 201, answer.text
    number: int = answer.json()["id"]
    return number


@pytest.mark.anyio
async def test_spot_is_rounded_and_has_a_time_zone(anna: SignedInUser) -> None:
    added = (await anna.browser.post("/api/favorites", json=LABOE)).json()
    assert added == {
        "id": added["id"],
        "name": "Laboe",
        "lat": 54.4,
        "lon": 10.23,
        "timezone": "Europe/Berlin",
        "directions": [{"from": 300, "to": 60}],
        "position": 0,
    }
    listed = await anna.browser.get("/api/favorites")
    assert listed.json() == {"favorites": [added], "limit": 50}
    assert listed.headers["cache-control"] == "private, no-store"


@pytest.mark.anyio
async def test_missing_fields_of_a_change_are_kept(site: Client, anna: SignedInUser) -> None:
    await know_hamburg(site)
    spot = await add(anna, "Laboe")
    path = f"/api/favorites/{spot}"
    renamed = (await anna.browser.put(path, json={"name": " Heidkate  Strand "})).json()
    assert (renamed["name"], renamed["lat"]) == ("Heidkate Strand", 54.4)
    assert renamed["directions"] == LABOE["directions"]
    moved = await anna.browser.put(path, json={"lat": 40.64, "lon": -73.78, "directions": []})
    assert moved.json()["timezone"] == "America/New_York" and moved.json()["directions"] == []
    changed = await anna.browser.put(path, json={"station": "hamburg-airport-eddh"})
    assert changed.json()["station"] == "hamburg-airport-eddh"
    assert "station" not in (await anna.browser.put(path, json={"station": None})).json()
    assert await anna.browser.code("PUT", path, json={"lat": 1.0}) == (400, "invalid_coordinates")
    assert await anna.browser.code("PUT", path, json={"station": "atlantis"}) == (
        400,
        "unknown_station",
    )


@pytest.mark.anyio
async def test_spots_are_reordered_and_removed(anna: SignedInUser) -> None:
    first, second, third = [await add(anna, name) for name in ("A", "B", "C")]
    ordered = await anna.browser.put("/api/favorites/order", json={"ids": [third, first, second]})
    assert [each["name"] for each in ordered.json()["favorites"]] == ["C", "A", "B"]
    assert (await anna.browser.delete(f"/api/favorites/{first}")).status_code == 204
    await add(anna, "D")
    assert await names(anna) == ["C", "B", "D"]
    gone = f"/api/favorites/{first}"
    assert await anna.browser.code("DELETE", gone) == (404, "not_found")


@pytest.mark.anyio
async def test_removed_spot_is_audited_only_in_the_log(
    site: Client, anna: SignedInUser, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "quartet.audit")
    spot = await add(anna, "Laboe")
    await anna.browser.delete(f"/api/favorites/{spot}")
    [line] = [line for line in caplog.messages if line.startswith("deleted ")]
    assert line.endswith(f" path=/api/favorites/{spot}")
    audit_log = site.started.kernel.audit_log
    await audit_log.flush()
    assert (await audit_log.page(None, "deleted", 10)).entries == []


@pytest.mark.anyio
async def test_spots_require_sign_in(site: Client) -> None:
    for path in ("/api/favorites", "/api/favorites/outlook", "/api/gear", "/api/push"):
        assert await site.code("GET", path) == (401, "signed_out")


@pytest.mark.anyio
async def test_spots_and_gear_are_deleted_with_the_account(
    site: Client, anna: SignedInUser
) -> None:
    await add(anna, "Laboe")
    gear = [{"kind": "kite", "name": "", "size": 9, "unit": "m²"}]
    await anna.browser.put("/api/gear", json={"items": gear})
    db = site.started.kernel.db
    await db.write(lambda tx: accounts.remove(tx.conn, anna.id))
    left = await db.read(
        lambda conn: [
            conn.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()
            for table in ("spots", "gear")
        ]
    )
    assert left == [0, 0]


@pytest.mark.anyio
async def test_limit_is_set_by_admins(site: Client, anna: SignedInUser) -> None:
    await SiteSettings(site.started.kernel.db).set("favorites_limit", 1)
    await add(anna, "Laboe")
    assert await anna.browser.code("POST", "/api/favorites", json=LABOE) == (
        422,
        "too_many_favorites",
    )


async def race(site: Client) -> None:
    """Add fifty spots at once where seven are allowed."""
    anna = await signed_in_user(site)
    await SiteSettings(site.started.kernel.db).set("favorites_limit", 7)
    answers = await asyncio.gather(
        *(anna.browser.post("/api/favorites", json=LABOE) for _ in range(50))
    )
    assert sorted(each.status_code for each in answers) == [201] * 7 + [422] * 43
    assert {each.json().get("code") for each in answers} == {None, "too_many_favorites"}
    favorites = (await anna.browser.get("/api/favorites")).json()["favorites"]
    assert [each["position"] for each in favorites] == list(range(7))


@pytest.mark.anyio
async def test_limit_holds_for_concurrent_additions(site: Client) -> None:
    await race(site)


@pytest.mark.anyio
async def test_limit_holds_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    async with quiet(tmp_path, database_url=postgres_url) as site:
        await race(site)


@given(st.integers(0, 360), st.integers(0, 360), st.integers(0, 359))
def test_sector_is_clockwise(start: int, end: int, direction: int) -> None:
    walked, at = {start % 360}, start
    while at % 360 != end % 360:
        at += 1
        walked.add(at % 360)
    whole = (start, end) == (0, 360)
    assert is_within([Sector(start, end)], direction) == (whole or direction in walked)


def test_sector_can_span_north() -> None:
    north = [Sector(300, 60)]
    assert is_within(north, 0) and is_within(north, 300) and is_within(north, 60)
    assert not is_within(north, 180) and not is_within(north, None)
    assert is_within([], None) and is_within([Sector(0, 360)], 200)


@pytest.mark.anyio
async def test_list_of_spots_is_imported_once(anna: SignedInUser) -> None:
    path = "/api/favorites/import"
    lists = (
        "name,lat,lon\nLaboe,54.4012,10.2349\nTarifa,36.01,-5.6\n\n",
        "\ufeffId;Spot;Breitengrad;Längengrad\r\n7;Laboe;54,4;10,23\r\n8;Brouwersdam;51,76;3,85\r\n",
    )
    found = [await anna.browser.post(path, content=each.encode()) for each in lists]
    assert [each.json() for each in found] == [
        {"added": 2, "existing": 0},
        {"added": 1, "existing": 1},
    ]
    assert await names(anna) == ["Laboe", "Tarifa", "Brouwersdam"]


@pytest.mark.anyio
async def test_long_list_of_spots_is_refused_at_once(
    anna: SignedInUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line costs time, and 256 kB have room for tens of thousands."""
    monkeypatch.setattr(Spots, "_checked", None)
    text = "name,lat,lon\n" + "".join(f"{number},1,1\n" for number in range(20_000))
    answer = await anna.browser.post("/api/favorites/import", content=text.encode())
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_favorites")


@pytest.mark.anyio
async def test_unusable_list_of_spots_adds_nothing(anna: SignedInUser) -> None:
    for text, code, inputs in (
        ("Laboe,54.4,10.2\n", "spots_file_columns", {}),
        ("name,lat,lon\nLaboe,54.4,10.2\nKiel,north,10\n", "spots_file_line", {"line": 3}),
        ("name,lat,lon\nLaboe\n", "spots_file_line", {"line": 2}),
        ("name,lat,lon\n" + "".join(f"S{n},5,{n}\n" for n in range(51)), "too_many_favorites", 0),
    ):
        answer = await anna.browser.post("/api/favorites/import", content=text.encode())
        assert (answer.status_code, answer.json()["code"]) == (422, code)
        assert answer.json().get("inputs", {}) == inputs or code == "too_many_favorites"
    assert await names(anna) == []
