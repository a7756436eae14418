"""Catalog cache, matches, probes, name formats and rules on PostgreSQL."""

from pathlib import Path

import pytest

from quartet.kernel.startup import open_kernel
from quartet.media.app import SERVICE
from quartet.media.catalog.service import Catalog, DatabaseCache
from quartet.media.match.service import Matcher
from quartet.media.match.types import OverrideKey
from quartet.media.names.parse import parse
from quartet.media.options.service import OptionsService
from quartet.media.probe.pool import ProbePool
from quartet.media.probe.service import Prober
from tests.client import client_of
from tests.media.video_files import make_video

pytestmark = pytest.mark.anyio


async def test_settings_formats_and_rule_sets_on_postgresql(
    postgres_url: str, tmp_path: Path
) -> None:
    async with client_of(SERVICE, tmp_path, database_url=postgres_url) as client:
        await client.put("/api/settings", json={"language": "de-DE"})
        assert (await client.get("/api/settings")).json()["language"] == "de-DE"
        short = {"name": "Short", "kind": "movie", "template": "{n}"}
        added = (await client.post("/api/formats", json=short)).json()
        assert (await client.get("/api/formats")).json()[-1] == added
        assert (await client.delete(f"/api/formats/{added['id']}")).status_code == 204
        rules = {"name": "Tidy", "rules": [{"type": "cleanup"}]}
        saved = (await client.post("/api/rule-sets", json=rules)).json()
        assert (await client.get("/api/rule-sets")).json() == [saved]


async def test_nul_character_is_refused(postgres_url: str, tmp_path: Path) -> None:
    """PostgreSQL does not accept it."""
    films = tmp_path / "films"
    films.mkdir()
    async with client_of(SERVICE, tmp_path / "config", database_url=postgres_url) as client:
        folder = (await client.post("/api/folders", json={"path": str(films)})).json()
        for method, path, body in (
            ("POST", "/api/formats", {"name": "a\0", "kind": "movie", "template": "{n}"}),
            ("POST", "/api/folders", {"name": "a\0", "kind": "movies", "path": str(films)}),
            ("PATCH", f"/api/folders/{folder['id']}", {"name": "a\0"}),
            ("GET", "/api/history?q=a%00", None),
            ("GET", "/api/jobs/1/items?q=a%00", None),
        ):
            assert await client.code(method, path, json=body) == (400, "invalid_request"), path


async def test_cache_overrides_and_probes_on_postgresql(postgres_url: str, tmp_path: Path) -> None:
    kernel = open_kernel(SERVICE, SERVICE.settings(data=tmp_path, database_url=postgres_url))
    options = OptionsService(kernel)
    cache = DatabaseCache(kernel.db)
    for value in ("1", "2"):
        await cache.put("key", value, 2**40)
        assert await cache.get("key") == value
    await cache.put("old", "3", 1)
    assert await cache.get("old") is None
    matcher = Matcher(kernel, Catalog(kernel, options, demo=True), options)
    parsed = parse("The.Office.S01E02.mkv", ())
    (chosen,) = await matcher.choose([parsed], "series", "demo", "the-office-2005")
    assert chosen.best
    for _ in range(2):
        await matcher.remember(parsed, chosen.best)
    assert (await matcher.match([parsed]))[0].overridden
    await matcher.forget(OverrideKey("series", "the office"))
    prober = Prober(kernel, ProbePool(size=1))
    path = make_video(tmp_path / "a.mkv")
    assert await prober.probe(path) == await prober.probe(path)
    (tmp_path / "b.mkv").touch()
    assert await prober.probe(tmp_path / "b.mkv") is None
    assert await prober.probe(tmp_path / "b.mkv") is None
    await prober.close_idle()
    await kernel.close()
