"""Site settings and what visitors see of them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.db import Database, open_database
from quartet.kernel.errors import AppError
from quartet.wind.app import SERVICE
from quartet.wind.site.service import CACHE_SECONDS, SiteSettings
from quartet.wind.site.types import SiteOptions
from tests.databases import put_empty_database
from tests.wind.account_setup import service_of
from tests.wind.quiet import quiet

pytestmark = pytest.mark.anyio


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    put_empty_database(tmp_path, SERVICE.history)
    db = open_database(tmp_path, "wind")
    yield db
    db.close()


async def test_new_site_has_mode_and_no_texts(tmp_path: Path) -> None:
    async with quiet(tmp_path) as client:
        answer = await client.get("/api/site")
        assert answer.json() == {
            "mode": "invite",
            "imprint": False,
            "privacy": False,
            "mail": False,
        }
        for page in ("imprint", "privacy"):
            assert await client.code("GET", f"/api/site/{page}") == (404, "not_found")


async def test_change_is_visible_immediately_in_both_languages(tmp_path: Path) -> None:
    async with quiet(tmp_path) as client:
        site = service_of(client, SiteSettings)
        await client.get("/api/site")
        await site.set("notice_de", "  Heute Wartung.\r\n\r\nAb acht.\x07 ")
        await site.set("imprint_en", "Who we are")
        await site.set("privacy_de", "Nichts")
        await site.set("privacy_en", "Nothing")
        await site.set("account_mode", "closed")
        answer = (await client.get("/api/site")).json()
        text = "Heute Wartung.\n\nAb acht."
        notice = {"de": text, "en": text}
        assert answer == {
            "mode": "closed",
            "imprint": True,
            "privacy": True,
            "mail": False,
            "notice": notice,
        }
        assert (await client.get("/api/site/privacy")).json() == {"de": "Nichts", "en": "Nothing"}
        assert (await client.get("/api/site/imprint")).json()["de"] == "Who we are"
        await site.reset("imprint_en")
        assert await client.code("GET", "/api/site/imprint") == (404, "not_found")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("account_mode", "opened"),
        ("account_mode", None),
        ("favorites_limit", 0),
        ("favorites_limit", 10**30),
        ("favorites_limit", "50"),
        ("favorites_limit", True),
        ("favorites_limit", 1.5),
        ("notice_en", "x" * 501),
        ("imprint_de", ["x"]),
        ("map_spots", [{"name": "", "lat": 0, "lon": 0}]),
        ("map_spots", [{"name": "\x00", "lat": 0, "lon": 0}]),
        ("map_spots", [{"name": "x", "lat": 91, "lon": 0}]),
        ("map_spots", {"name": "x"}),
    ],
)
async def test_invalid_value_error_names_the_key(db: Database, key: str, value: Any) -> None:
    site = SiteSettings(db)
    with pytest.raises(AppError) as refused:
        await site.set(key, value)
    error = refused.value
    assert (error.status, error.code, error.inputs) == (400, "invalid_setting", {"key": key})
    assert await site.get() == SiteOptions()


@pytest.mark.parametrize("key", ["", "nothing", "__class__", "account_mode ", "x" * 5000])
async def test_unknown_key_is_not_found(db: Database, key: str) -> None:
    site = SiteSettings(db)
    for act in (site.set(key, 1), site.reset(key)):
        with pytest.raises(AppError) as refused:
            await act
        assert (refused.value.status, refused.value.code) == (404, "unknown_setting")


async def test_change_by_another_process_is_noticed_soon(db: Database) -> None:
    now = 1000.0
    here, there = SiteSettings(db, clock=lambda: now), SiteSettings(db)
    assert (await here.get()).favorites_limit == 50
    await there.set("favorites_limit", 7)
    assert (await there.get()).favorites_limit == 7
    now += CACHE_SECONDS
    assert (await here.get()).favorites_limit == 7


async def test_value_changed_during_read_is_not_cached(db: Database) -> None:
    site = SiteSettings(db)
    for limit in range(1, 20):
        await asyncio.gather(site.get(), site.set("favorites_limit", limit), site.get())
        assert (await site.get()).favorites_limit == limit


async def test_value_of_another_version_falls_back_to_default(db: Database) -> None:
    def work(tx: Any) -> None:
        rows = "('favorites_limit', '\"many\"', 1, null), ('gone', '1', 1, null)"
        tx.conn.exec_driver_sql(f"INSERT INTO site_settings VALUES {rows}")

    await db.write(work)
    assert await SiteSettings(db).get() == SiteOptions()


async def test_map_lists_pinned_places_first_without_duplicates(tmp_path: Path) -> None:
    async with quiet(tmp_path) as client:
        assert (await client.get("/api/map/spots")).json() == {"spots": []}
        kiel = {"name": "Kiel", "lat": 54.3233, "lon": 10.1228}
        await service_of(client, SiteSettings).set("map_spots", [{**kiel, "name": "Laboe"}, kiel])
        await service_of(client, SiteSettings).set("map_pinned", [kiel])
        spots = (await client.get("/api/map/spots")).json()["spots"]
        assert [(each["name"], each["pinned"]) for each in spots] == [
            ("Kiel", True),
            ("Laboe", False),
        ]
        assert (spots[0]["lat"], spots[0]["lon"]) == (54.32, 10.12)
