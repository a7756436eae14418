"""Admin pages of the map and the model runs."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.grid.geometry import Grid
from quartet.wind.ingest.service import Ingest, loop_name
from quartet.wind.models.icon.models import ICON_EU
from quartet.wind.models.types import Model
from tests.client import Client
from tests.wind.admins import admin_at
from tests.wind.conftest import Station
from tests.wind.runs import finished_run

pytestmark = pytest.mark.anyio

EUROPE = Grid(0.0, 45.0, 0.5, 0.5, 31, 21)
NUMBERS = np.full((2, 3, EUROPE.points), 1000, np.int16)


async def forever() -> None:
    await asyncio.Event().wait()


@pytest.fixture
def run() -> int:
    return int(time.time()) // 10800 * 10800


@pytest.fixture
async def browser(tmp_path: Path, run: int) -> AsyncIterator[Client]:
    for each in (run, run - 10800):
        finished_run(tmp_path / "grids", EUROPE, NUMBERS, run=each, steps=(0, 3))
    async with admin_at(tmp_path) as browser:
        # Stand-ins for the loops that would contact the real sources.
        loops = [BackgroundTask(f"ingest {model}", forever) for model in ("icon-eu", "gfs")]
        await browser.started.kernel.supervisor.start(loops)
        yield browser
        await browser.started.kernel.supervisor.stop()


async def icon_eu(browser: Client, path: str) -> dict[str, Any]:
    models = (await browser.get(path)).json()["models"]
    found: dict[str, Any] = next(each for each in models if each["id"] == "icon-eu")
    return found


async def test_map_state_lists_models_textures_and_archives(browser: Client, run: int) -> None:
    await browser.get(f"/api/map/icon-eu/{run}/3.png")
    state = (await browser.get("/api/admin/map")).json()
    eu = await icon_eu(browser, "/api/admin/map")
    assert (eu["run"], eu["hours"], eu["textures"], eu["incoming"]) == (run, 2, 1, None)
    assert eu["bytes"] == 2 * EUROPE.points * 3 * 8 * 2
    assert 0 < eu["textureBytes"] == state["cacheBytes"] <= state["cacheLimit"]
    assert state["basemap"]["own"] is False and state["basemap"]["bytes"] > 1000
    assert state["relief"]["own"] is False and state["postponedUntil"] is None
    renewed = await browser.post("/api/admin/map/renew", json={"what": "textures"})
    assert (renewed.status_code, renewed.json()["cacheBytes"]) == (202, 0)


async def test_fetching_can_be_postponed_and_resumed(browser: Client) -> None:
    answer = await browser.post("/api/admin/map/postpone", json={"hours": 3})
    until = answer.json()["postponedUntil"]
    assert abs(until - time.time() - 3 * 3600) < 30
    assert (await browser.get("/api/admin/forecasts")).json()["postponedUntil"] == until
    body = {"what": "runs", "model": "icon-eu"}
    renewed = await browser.post("/api/admin/map/renew", json=body)
    assert renewed.json()["postponedUntil"] is None
    answer = await browser.post("/api/admin/map/postpone", json={"hours": 0})
    assert answer.json() == {"postponedUntil": None}
    for hours in (-1, 169, "x", None):
        path = "/api/admin/map/postpone"
        status = await browser.code("POST", path, json={"hours": hours})
        assert status == (400, "invalid_request")
    body = {"what": "runs", "model": "nothing"}
    assert await browser.code("POST", "/api/admin/map/renew", json=body) == (404, "not_found")
    body = {"what": "everything"}
    status = await browser.code("POST", "/api/admin/map/renew", json=body)
    assert status == (400, "invalid_request")
    answer = await browser.post("/api/admin/map/cancel", json={})
    assert answer.json() == {"models": []}


async def test_named_places_on_the_map(browser: Client) -> None:
    kiel = {"name": "Kiel", "lat": 54.321, "lon": 10.119}
    kept = {"places": [{"name": "Kiel", "lat": 54.32, "lon": 10.12}]}
    for path in ("/api/admin/map/spots", "/api/admin/map/spots/pinned"):
        assert (await browser.get(path)).json() == {"places": []}
        assert (await browser.put(path, json={"places": [kiel]})).json() == kept
        assert (await browser.get(path)).json() == kept
        bad = {"places": [{**kiel, "lat": 91}]}
        assert await browser.code("PUT", path, json=bad) == (400, "invalid_request")
    assert len((await browser.get("/api/map/spots")).json()["spots"]) == 1


async def test_leftovers_are_found_and_deleted(browser: Client, tmp_path: Path, run: int) -> None:
    old = time.time() - 7200
    for name in (
        "grids/icon-eu/.unfinished-1/values.i16",
        "grids/icon-eu/123/run.json",
        "grids/forgotten/1/values.i16",
        "maps/basemap.pmtiles",
        "maps/copy of basemap.pmtiles",
        "mirror/dwd/x",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 10)
        for each in (path, path.parent, path.parent.parent):
            os.utime(each, (old, old))
    os.utime(tmp_path / "grids/icon-eu" / str(run), (old, old))
    (tmp_path / "grids/icon-eu/.unfinished-2").mkdir()
    answer = (await browser.get("/api/admin/map/leftovers")).json()
    assert [each["path"] for each in answer["leftovers"]] == [
        "grids/forgotten",
        "grids/icon-eu/.unfinished-1",
        "grids/icon-eu/123",
        "maps/copy of basemap.pmtiles",
        "mirror",
    ]
    assert answer["bytes"] == 50
    at = "/api/admin/map/leftovers"
    for escape in ("../x", "maps/basemap.pmtiles", "/etc/passwd", "grids", ""):
        assert await browser.code("DELETE", at, params={"path": escape}) == (404, "not_found")
    one = await browser.delete(at, params={"path": "mirror"})
    assert one.json() == {"removed": 1, "bytes": 10}
    assert (await browser.delete(at)).json() == {"removed": 4, "bytes": 40}
    assert (tmp_path / "grids/icon-eu" / str(run)).is_dir()
    assert (tmp_path / "maps/basemap.pmtiles").exists()
    assert (tmp_path / "grids/icon-eu/.unfinished-2").exists()


async def test_runs_are_listed_and_deleted(browser: Client, tmp_path: Path, run: int) -> None:
    eu = await icon_eu(browser, "/api/admin/forecasts")
    assert [each["run"] for each in eu["runs"]] == [run, run - 10800]
    assert eu["runs"][0]["bytes"] == EUROPE.points * 3 * 8 * 2 and not eu["overdue"]
    assert eu["task"] == "ingest-icon-eu"
    for path in (f"icon-eu/{run + 1}", f"gfs/{run}", "..%2f..%2fx/1", "icon-eu/..", "icon-eu/%00"):
        answer = await browser.request("DELETE", f"/api/admin/forecasts/{path}")
        assert answer.status_code in (404, 405), path
    gone = await browser.delete(f"/api/admin/forecasts/icon-eu/{run}")
    assert gone.status_code == 204
    eu = await icon_eu(browser, "/api/admin/forecasts")
    assert [each["run"] for each in eu["runs"]] == [run - 10800]
    assert not (tmp_path / "grids" / "icon-eu" / str(run)).exists()
    assert (await browser.get("/api/point?lat=50&lon=5")).status_code == 200


async def test_look_request_wakes_the_task(browser: Client) -> None:
    answer = await browser.post("/api/admin/forecasts", json={"model": "icon-eu"})
    assert answer.status_code == 202
    body = {"model": "nothing"}
    assert await browser.code("POST", "/api/admin/forecasts", json=body) == (404, "not_found")


async def fetching(ingest: Ingest, model: Model) -> "asyncio.Task[None]":
    """Start a look that waits for a missing file."""
    look = asyncio.create_task(ingest.look(model))
    async with asyncio.timeout(60):
        while ingest.state(model.id).incoming is None:
            await asyncio.sleep(0)
    return look


async def test_cancelled_run_is_only_fetched_on_request(station: Station) -> None:
    ingest = station.ingest_of(ICON_EU)
    assert not ingest.give_up("icon-eu")
    look = await fetching(ingest, ICON_EU)
    assert ingest.give_up("icon-eu")
    await asyncio.wait_for(look, 60)
    assert ingest.state("icon-eu").incoming is None
    await asyncio.wait_for(ingest.look(ICON_EU), 60)
    ingest.want("icon-eu")
    look = await fetching(ingest, ICON_EU)
    look.cancel()
    with pytest.raises(asyncio.CancelledError):
        await look
    assert loop_name(ICON_EU) == "ingest icon-eu"
