"""Admin overview."""

import asyncio
import time
from pathlib import Path

import numpy as np
import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.supervisor import Supervisor, every
from quartet.wind.admin.background import BackgroundTasks
from quartet.wind.app import SERVICE
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.observations.service import Observations
from quartet.wind.observations.types import Measurement
from quartet.wind.stations.service import Stations
from tests.client import Client, client_of
from tests.wind.account_setup import service_of
from tests.wind.admins import admin, admin_at
from tests.wind.runs import finished_run
from tests.wind.station_setup import HAMBURG, KIEL, load_lists

pytestmark = pytest.mark.anyio

GRID = Grid.over(Area(5, 47, 10, 55), 1.0)


async def test_overview_lists_problems_and_data_ages(tmp_path: Path) -> None:
    async with admin_at(tmp_path) as browser:
        now = int(time.time())
        measured = [(1, Measurement(now - 300, 12.0, 230, "metar"))]
        await service_of(browser, Observations).add(measured)
        answer = (await browser.get("/api/admin/overview")).json()
        problems = [(each["code"], each["inputs"].get("source")) for each in answer["problems"]]
        assert ("source_missing", "icon-d2") in problems
        assert ("source_missing", "metar") not in problems
        sources = {each["id"]: each for each in answer["sources"]}
        assert sources["metar"]["newest"] == now - 300
        assert 300 <= sources["metar"]["age"] < 330 and not sources["metar"]["overdue"]
        assert sources["gfs"]["kind"] == "model" and sources["gfs"]["age"] is None
        assert answer["counts"]["users"] == 1 and answer["counts"]["alarms"] == 0
        assert answer["memory"] > 10_000_000 and answer["disk"]["total"] > 0


async def test_late_model_is_shown_to_admins_users_and_monitoring(tmp_path: Path) -> None:
    now = int(time.time()) // 21600 * 21600
    numbers = np.zeros((2, 3, GRID.points), np.int16)
    for model, run in (("icon-eu", now - 2 * 86400), ("gfs", now)):
        finished_run(tmp_path / "grids", GRID, numbers, model=model, run=run, steps=(0, 3))
    async with admin_at(tmp_path, metrics_token="s3cr3t") as browser:
        answer = (await browser.get("/api/admin/overview")).json()
        overdue = {each["id"] for each in answer["sources"] if each["overdue"]}
        assert "icon-eu" in overdue and "gfs" not in overdue
        problems = [(each["code"], each["inputs"].get("source")) for each in answer["problems"]]
        assert ("source_overdue", "icon-eu") in problems
        models = (await browser.get("/api/models")).json()["models"]
        late = {each["id"]: each["late"] for each in models}
        assert late["icon-eu"] and not late["gfs"]
        scraped = await browser.get("/metrics", headers={"authorization": "Bearer s3cr3t"})
        assert 'quartet_wind_run_late{name="icon-eu"} 1.0' in scraped.text
        assert 'quartet_wind_run_late{name="gfs"} 0.0' in scraped.text


async def test_tasks_are_listed_and_can_be_started(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path, models=("icon-eu",)) as site:
        browser = (await admin(site)).browser
        tasks = {each["id"]: each for each in await listed(browser)}
        assert {"ingest-icon-eu", "log", "places", "statistics"} <= set(tasks)
        assert tasks["log"]["always"] and tasks["log"]["state"] == "running"
        answer = await browser.code("POST", "/api/admin/tasks/log/run")
        assert answer == (409, "task_always_runs")
        answer = await browser.code("POST", "/api/admin/tasks/nothing/run")
        assert answer == (404, "not_found")
        ran = await browser.post("/api/admin/tasks/keep-forecasts/run")
        assert (ran.status_code, ran.json()["name"]) == (202, "keep forecasts")
        assert ran.json()["every"] == 60
        await browser.aclose()


async def listed(browser: Client) -> list[dict[str, object]]:
    tasks: list[dict[str, object]] = (await browser.get("/api/admin/tasks")).json()["tasks"]
    return tasks


async def test_task_shows_last_result() -> None:
    supervisor, ran = Supervisor(), asyncio.Semaphore(0)
    outcomes = iter([None, AppError(502, "bad_answer", address="x")])

    async def run() -> None:
        ran.release()
        if (error := next(outcomes, None)) is not None:
            raise error

    tasks = BackgroundTasks(supervisor)
    await supervisor.start([every(3600, run, name="look at it")])
    await ran.acquire()
    await asyncio.sleep(0)
    [task] = tasks.list()
    assert (task.id, task.last_result, task.error) == ("look-at-it", "ok", None)
    assert task.last_start is not None and task.next is not None
    assert 3599 < task.next - task.last_start < 3601
    tasks.run("look-at-it")
    await ran.acquire()
    await asyncio.sleep(0)
    [task] = tasks.list()
    assert task.last_result == "failed" and task.error is not None
    assert task.error.code == "bad_answer"
    await supervisor.stop()


async def test_measurements_by_source(tmp_path: Path) -> None:
    async with admin_at(tmp_path) as browser:
        now = int(time.time())
        found = [(1, Measurement(now - 60 * age, 12.0, 230, "poi")) for age in (90, 30, 0)]
        await service_of(browser, Observations).add(found)
        service_of(browser, Observations).source("metar").error = None
        answer = (await browser.get("/api/admin/measurements")).json()
        poi = next(each for each in answer["sources"] if each["id"] == "poi")
        assert (poi["dayCount"], poi["newest"], poi["task"]) == (3, now, "poi")
        metar = next(each for each in answer["sources"] if each["id"] == "metar")
        assert (metar["dayCount"], metar["newest"], metar["overdue"]) == (0, None, True)
        assert answer["liveStations"] == 1


async def test_statistics_are_listed_and_recomputed(tmp_path: Path) -> None:
    async with admin_at(tmp_path) as browser:
        await load_lists(service_of(browser, Stations), [HAMBURG])
        await browser.get(f"/api/stations/{KIEL}/stats")
        answer = (await browser.get("/api/admin/stats")).json()
        assert answer["total"] == 1
        assert (answer["stats"][0]["station"], answer["stats"][0]["state"]) == (KIEL, "pending")
        assert (await browser.post(f"/api/admin/stats/{KIEL}/retry")).status_code == 202
        path = "/api/admin/stats/nowhere/retry"
        assert await browser.code("POST", path) == (404, "not_found")
        assert await browser.code("GET", "/api/admin/stats?limit=0") == (400, "invalid_request")


async def test_system_page_shows_no_secrets(tmp_path: Path) -> None:
    async with admin_at(tmp_path, metrics_token="s3cr3t", smtp_password="s3cr3t") as browser:
        answer = await browser.get("/api/admin/system")
        assert "s3cr3t" not in answer.text
        settings = {each["name"]: each for each in answer.json()["settings"]}
        assert settings["metrics_token"]["value"] == "***" and settings["metrics_token"]["secret"]
        assert settings["database_url"]["value"] in (None, "***")
        assert settings["port"]["value"] == 8450
        assert answer.json()["processes"][0]["name"] == "service"
        assert answer.json()["cpuSeconds"] > 0
        cleared = await browser.post("/api/admin/system/caches/clear")
        assert cleared.json() == {"bytes": 0}


async def test_task_of_an_ensemble_that_is_not_selected_is_off() -> None:
    ran = asyncio.Semaphore(0)

    async def run() -> None:
        ran.release()

    supervisor = Supervisor()
    tasks = BackgroundTasks(supervisor, lambda: ["ingest gefs"])
    await supervisor.start([every(60, run, name=f"ingest {model}") for model in ("gefs", "gfs")])
    for _ in range(2):
        await ran.acquire()
    await asyncio.sleep(0)
    off, waits = tasks.list()
    assert (off.state, off.next) == ("off", None)
    assert waits.state == "waiting" and waits.next is not None
    await supervisor.stop()
