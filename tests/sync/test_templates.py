"""Path templates, ignore patterns of one share, and the folders of a device."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from quartet.sync.agents.types import Limits
from quartet.sync.protocol import Inspect, Inspected, Place, SignedState, decode_signed
from tests.sync.agent import Agent
from tests.sync.running_app import RunningApp, running_app

pytestmark = pytest.mark.anyio


async def paths(app: RunningApp, *changes: dict[str, Any]) -> dict[tuple[int, int], str]:
    await app.post("/api/shares", {"changes": [{"mode": "both", **each} for each in changes]})
    shares = (await app.overview())["shares"]
    return {(each["folderId"], each["deviceId"]): each["path"] for each in shares}


def cell(folder: int, device: int, **fields: Any) -> dict[str, Any]:
    return {"folderId": folder, "deviceId": device, **fields}


async def test_share_without_path_gets_path_of_template(app: RunningApp) -> None:
    await app.device()
    await app.device(os="windows")
    for label in ("Photos", "Photos", "a/b: c."):
        await app.folder(label)
    found = await paths(app, *(cell(folder, device) for folder in (1, 2, 3) for device in (1, 2)))
    assert found == {
        (1, 1): "~/Sync/Photos",
        (2, 1): "~/Sync/Photos 2",
        (3, 1): "~/Sync/a-b- c",
        (1, 2): "~\\Sync\\Photos",
        (2, 2): "~\\Sync\\Photos 2",
        (3, 2): "~\\Sync\\a-b- c",
    }


async def test_device_template_has_precedence(app: RunningApp) -> None:
    await app.device()
    await app.device()
    await app.folder("Photos")
    answer = await app.admin.put("/api/path-template", json={"template": "~/Shared/{folder}"})
    assert answer.status_code == 204
    body = {"pathTemplate": "/mnt/disk/{folder}"}
    assert (await app.admin.patch("/api/devices/2", json=body)).status_code == 204
    assert await paths(app, cell(1, 1), cell(1, 2)) == {
        (1, 1): "~/Shared/Photos",
        (1, 2): "/mnt/disk/Photos",
    }
    assert (await app.overview())["pathTemplate"] == "~/Shared/{folder}"
    assert (await app.shown(2))["pathTemplate"] == "/mnt/disk/{folder}"
    await app.admin.put("/api/path-template", json={"template": ""})
    assert (await app.overview())["pathTemplate"] == "~/Sync/{folder}"


async def test_unusable_templates_are_refused(app: RunningApp) -> None:
    for template in ("~/Sync", "/srv/{folder}", "Sync/{folder}", "~/../{folder}"):
        refused = await app.refused("PUT", "/api/path-template", json={"template": template})
        assert refused == (422, "path_template_invalid")


async def test_patterns_of_share_reach_only_its_device(app: RunningApp) -> None:
    await app.device()
    await app.device()
    await app.folder("Photos", ignorePatterns=["*.tmp"])
    await paths(app, cell(1, 1, ignorePatterns=[" !/2024 ", "", "*"]), cell(1, 2))
    first, second = app.agents
    revision = (await app.overview())["revision"]
    assert (await first.state(revision)).folders[0].ignore_patterns == ["*.tmp", "!/2024", "*"]
    assert (await second.state(revision)).folders[0].ignore_patterns == ["*.tmp"]
    # They are kept unless a change contains others, and restored with an earlier revision.
    await paths(app, cell(1, 1, mode="receive"))
    assert (await app.overview())["shares"][0]["ignorePatterns"] == ["!/2024", "*"]
    await paths(app, cell(1, 1, ignorePatterns=[]))
    assert "ignorePatterns" not in (await app.overview())["shares"][0]
    await app.post(f"/api/revisions/{revision}/restore")
    assert (await app.overview())["shares"][0]["ignorePatterns"] == ["!/2024", "*"]


async def test_bad_patterns_of_share_are_reported_for_its_row(app: RunningApp) -> None:
    await app.device()
    await app.folder("Photos")
    body = {"changes": [cell(1, 1, mode="both", ignorePatterns=["#include /etc/passwd"])]}
    answer = await app.admin.post("/api/shares", json=body)
    [row] = answer.json()["inputs"]["rows"]
    assert (row["deviceId"], row["code"]) == (1, "pattern_include")


async def test_patterns_and_templates_are_exported(app: RunningApp) -> None:
    await app.device()
    await app.folder("Photos")
    await app.admin.patch("/api/devices/1", json={"pathTemplate": "~/{folder}"})
    await paths(app, cell(1, 1, ignorePatterns=["/raw"]))
    exported = await app.get("/api/config/export")
    assert exported["shares"][0]["ignorePatterns"] == ["/raw"]
    assert exported["devices"][0]["pathTemplate"] == "~/{folder}"
    await paths(app, cell(1, 1, ignorePatterns=[]))
    await app.post("/api/config/import", exported)
    assert (await app.overview())["shares"][0]["ignorePatterns"] == ["/raw"]


async def browsable_device(app: RunningApp) -> Agent:
    agent = app.agent(nonce=True)
    await agent.greet(code=await app.code())
    await agent.socket.recv()
    await agent.receive(SignedState)
    return agent


async def question(agent: Agent) -> Inspect:
    """Return the next question; states may arrive in between."""
    while not isinstance(found := decode_signed((await agent.receive(SignedState)).state), Inspect):
        pass
    return found


async def test_folders_of_device_are_browsed(app: RunningApp) -> None:
    agent = await browsable_device(app)
    asked = asyncio.create_task(app.get("/api/devices/1/folders"))
    first = await question(agent)
    assert first.browse == ""
    await agent.say(Inspected(first.request, places=[Place("home", "/home/ada", 5)]))
    assert (await asked)["places"] == [{"kind": "home", "path": "/home/ada", "freeBytes": 5}]

    asked = asyncio.create_task(app.get("/api/devices/1/folders", path="/home/ada"))
    second = await question(agent)
    assert second.browse == "/home/ada"
    await agent.say(Inspected(second.request, folders=["Music"], more=True))
    assert await asked == {"places": [], "folders": ["Music"], "more": True}


async def test_device_may_refuse_to_be_browsed(app: RunningApp) -> None:
    agent = await browsable_device(app)
    asked = asyncio.create_task(app.refused("GET", "/api/devices/1/folders?path=/etc"))
    await agent.say(Inspected((await question(agent)).request))
    assert await asked == (409, "browsing_not_allowed")
    assert await app.refused("GET", "/api/devices/7/folders") == (404, "device_not_found")
    await agent.leave()
    assert await app.refused("GET", "/api/devices/1/folders") == (409, "device_silent")


async def test_answers_do_not_count_towards_message_limit(data: Path) -> None:
    async with running_app(data, Limits(messages=3)) as app:
        agent = await browsable_device(app)
        for _ in range(6):
            asked = asyncio.create_task(app.admin.get("/api/devices/1/folders"))
            await agent.say(Inspected((await question(agent)).request, places=[]))
            await asked
        assert (await app.shown(1))["online"]
