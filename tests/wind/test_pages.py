"""Station pages for search engines and link previews."""

import io
import json
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from quartet.kernel import ui_files
from quartet.wind.forecasts.service import Forecasts
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.pages.head import station_page
from quartet.wind.pages.preview_picture import Picture, PictureHour, draw_preview
from quartet.wind.stations import store
from quartet.wind.stations.types import Codes, KnownStation
from tests.client import Client
from tests.wind.account_setup import service_of
from tests.wind.quiet import quiet
from tests.wind.runs import finished_run

pytestmark = pytest.mark.anyio

PAGE = """<!doctype html>
<html lang="en"><head><base href="/"><title>Wind</title>
<meta name="robots" content="noindex" /></head><body></body></html>"""
KIEL = KnownStation(
    "Kiel-Holtenau", 54.38, 10.15, Codes(icao="EDHK"), "DE", "Europe/Berlin", "Kiel", None, 31.0
)
EVIL = '</script><script>alert("1")</script>&<b>\u2028'
LIES = {
    "host": "evil.example",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "gopher",
    "forwarded": "host=evil.example",
}


@asynccontextmanager
async def serving(
    folder: Path, monkeypatch: pytest.MonkeyPatch, **settings: Any
) -> AsyncIterator[Client]:
    (folder / "ui" / "wind").mkdir(parents=True)
    (folder / "ui" / "wind" / "index.html").write_text(PAGE)
    monkeypatch.setattr(ui_files, "UI_FOLDER", folder / "ui")
    async with quiet(folder / "data", **settings) as client:
        known = [
            KnownStation(**{**_fields(KIEL), "slug": "our-kiel"}),
            KnownStation(**{**_fields(KIEL), "name": EVIL, "slug": "evil", "codes": Codes()}),
        ]
        await client.started.kernel.db.write(lambda tx: store.save(tx.conn, known, "test", "1"))
        yield client


def _fields(station: KnownStation) -> dict[str, Any]:
    return {name: getattr(station, name) for name in station.__struct_fields__}


def json_ld(page: str) -> dict[str, Any]:
    (text,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


async def test_station_fills_the_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    public = "https://wind.example.org"
    async with serving(tmp_path, monkeypatch, public_url=public) as client:
        answer = await client.get("/station/our-kiel", headers=LIES)
        page = answer.text
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"
        assert "<title>Kiel-Holtenau (EDHK) · Wind</title>" in page
        assert '<meta property="og:title" content="Kiel-Holtenau (EDHK) · Wind" />' in page
        assert f'<meta property="og:url" content="{public}/station/our-kiel" />' in page
        assert f'<link rel="canonical" href="{public}/station/our-kiel" />' in page
        assert 'name="description"' in page and "noindex" not in page
        assert "evil.example" not in page and "gopher" not in page
        place = json_ld(page)
        assert (place["name"], place["geo"]["latitude"]) == ("Kiel-Holtenau", 54.38)
        assert place["url"] == f"{public}/station/our-kiel"
        assert "accept-language" in answer.headers["vary"]
        # The page is the same for everyone with the same language.
        other = await client.get("/station/our-kiel", headers={"accept-language": "fr, en;q=0.5"})
        assert other.text == page
        known = {"if-none-match": answer.headers["etag"]}
        assert (await client.get("/station/our-kiel", headers=known)).status_code == 304
        assert (await client.head("/station/our-kiel")).status_code == 200


async def test_head_in_german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    public = "https://wind.example.org"
    async with serving(tmp_path, monkeypatch, public_url=public) as client:
        english = await client.get("/station/our-kiel")
        german = {"accept-language": "de-AT,de;q=0.9,en;q=0.8"}
        answer = await client.get("/station/our-kiel", headers=german)
        assert '<html lang="de"' in answer.text and "Windvorhersagen" in answer.text
        assert answer.headers["etag"] != english.headers["etag"]
        assert "accept-language" in answer.headers["vary"]
        assert (await client.get("/station/our-kiel?lang=de")).text == answer.text
        assert (await client.get("/station/our-kiel?lang=en", headers=german)).text == english.text
        there = f"{public}/station/our-kiel?lang=de"
        assert f'<link rel="alternate" hreflang="de" href="{there}" />' in english.text
        # An unknown language is ignored and not echoed.
        for odd in ("lang=%22%3E%3Cscript%3E", "lang=de&lang=en", "lang=", f"lang={'x' * 5000}"):
            assert (await client.get(f"/station/our-kiel?{odd}")).text == english.text


async def test_names_are_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(tmp_path, monkeypatch) as client:
        page = (await client.get("/station/evil", headers=LIES)).text
        assert "<script>alert" not in page and "<b>" not in page
        assert json_ld(page)["name"] == EVIL
        # Without a public address there is no canonical link.
        assert "og:url" not in page and "canonical" not in page and "evil.example" not in page


async def test_unknown_station_returns_app_with_404(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch) as client:
        for slug in ("nowhere", "%00", "a/b", "a%2fb", "x" * 5000, "%3Cscript%3E", "' OR 1=1"):
            answer = await client.get(f"/station/{slug}")
            assert (answer.status_code, answer.text) == (404, PAGE), slug
            assert answer.headers["cache-control"] == "no-cache"
        for path in ("/", "/station", "/station/", "/map", "/point/54.3/10.1"):
            assert (await client.get(path)).text == PAGE
            assert (await client.get(path)).status_code == 200


@pytest.mark.parametrize(
    ("public_url", "base_path", "expected"),
    [
        ("https://a.example/", "", "https://a.example/station/our-kiel"),
        ("https://a.example", "/wind", "https://a.example/wind/station/our-kiel"),
        ("https://a.example/wind/", "/wind", "https://a.example/wind/station/our-kiel"),
    ],
)
async def test_address_comes_from_settings(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    public_url: str,
    base_path: str,
    expected: str,
) -> None:
    async with serving(tmp_path, monkeypatch, public_url=public_url, base_path=base_path) as client:
        page = (await client.get("/station/our-kiel")).text
        assert json_ld(page)["url"] == expected
        assert f'<base href="{base_path}/"' in page


def test_backslash_in_name_is_kept() -> None:
    odd = KnownStation(**{**_fields(KIEL), "name": r"Kiel \1 \g<0>", "slug": "odd"})
    assert r"<title>Kiel \1 \g&lt;0&gt; (EDHK) · Wind</title>" in station_page(PAGE, odd, None)


async def test_robots_and_sitemap_list_public_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = "https://wind.example.org"
    async with serving(tmp_path, monkeypatch, public_url=public) as client:
        robots = await client.get("/robots.txt", headers=LIES)
        assert robots.headers["content-type"].startswith("text/plain")
        assert "Disallow: /api/" in robots.text and "Disallow: /admin" in robots.text
        assert f"Sitemap: {public}/sitemap.xml" in robots.text
        answer = await client.get("/sitemap.xml", headers=LIES)
        assert answer.headers["cache-control"] == "public, max-age=86400"
        assert f"<loc>{public}/station/our-kiel</loc>" in answer.text
        assert "evil.example" not in answer.text + robots.text


async def test_site_without_public_address_has_no_sitemap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch, base_path="/wind") as client:
        assert "Sitemap" not in (await client.get("/robots.txt")).text
        assert "Disallow: /wind/api/" in (await client.get("/robots.txt")).text
        assert (await client.get("/sitemap.xml")).status_code == 404


async def test_preview_is_a_picture_of_the_forecast(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = "https://wind.example.org"
    async with serving(tmp_path, monkeypatch, public_url=public) as client:
        page = (await client.get("/station/our-kiel", headers=LIES)).text
        assert f'content="{public}/preview/our-kiel.png"' in page
        # There is no forecast yet.
        assert (await client.get("/preview/our-kiel.png")).status_code == 404
        assert (await client.get("/preview/nobody.png")).status_code == 404
        grid = Grid.over(Area(8, 53, 12, 56), 1.0)
        numbers = np.full((73, 3, grid.points), 1500, np.int16)
        now = int(time.time()) // 3600 * 3600
        finished = finished_run(tmp_path / "grids", grid, numbers, run=now)
        service_of(client, Forecasts)._catalogue.add(finished)
        answer = await client.get("/preview/our-kiel.png")
        assert answer.headers["content-type"] == "image/png"
        assert answer.headers["cache-control"] == "public, max-age=3600"
        picture = Image.open(io.BytesIO(answer.content))
        assert picture.size == (1200, 630)
        # Bars in the colour of 20 knots.
        assert len(picture.getcolors(100_000) or []) > 10
        assert (await client.get("/preview/our-kiel.png")).content == answer.content


@pytest.mark.parametrize("name", ["", "x" * 300, "Ærøskøbing 東京 \u202e"])
def test_preview_draws_any_name_and_no_hours(name: str) -> None:
    assert draw_preview(Picture(name, name, [], "UTC")).startswith(b"\x89PNG")
    hours = [PictureHour(hour * 3600, hour, None) for hour in range(72)]
    assert len(draw_preview(Picture(name, name, hours, "Europe/Berlin"))) < 100_000
