"""Station pages for search engines and link previews."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quartet.kernel import ui_files
from quartet.wind.pages.head import station_page
from quartet.wind.stations import store
from quartet.wind.stations.types import Codes, KnownStation
from tests.client import Client
from tests.wind.quiet import quiet

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
