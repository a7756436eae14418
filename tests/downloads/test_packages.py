"""Changing packages and downloads."""

from pathlib import Path

import msgspec
import pytest

from quartet.downloads.app import SERVICE
from tests.client import Client, client_of
from tests.downloads.api_calls import act, add, downloads, mark, one, packages
from tests.downloads.first_user import first_user

pytestmark = pytest.mark.anyio

# Reserved names that never resolve, so nothing is downloaded.
A, B, C = (f"http://host.invalid/{name}.bin" for name in "abc")
NOBODY = [0, -1, 99, 2**53, 2**63, 10**30]


@pytest.mark.parametrize("id", NOBODY)
async def test_unknown_ids_are_not_found(ada: Client, id: int) -> None:
    missing = (404, "not_found")
    for verb in ("start", "pause", "resume", "check", "extract"):
        assert await ada.code("POST", f"/api/packages/{id}/{verb}") == missing
    assert await ada.code("PATCH", f"/api/packages/{id}", json={"name": "x"}) == missing
    assert await ada.code("DELETE", f"/api/packages/{id}") == missing
    for verb in ("pause", "resume"):
        assert await ada.code("POST", f"/api/downloads/{id}/{verb}") == missing
    assert await ada.code("PATCH", f"/api/downloads/{id}", json={"priority": 1}) == missing
    assert await ada.code("DELETE", f"/api/downloads/{id}") == missing


async def test_absolute_path_of_done_folder_is_left_out(ada: Client) -> None:
    """As programs and people name folders that they see on the disk."""
    done = ada.started.kernel.settings.done_folder.absolute()
    package = await add(ada, A, targetDir=f"{done}/films")
    assert (await one(ada))["targetDir"] == "films"
    change = {"targetDir": f"{done}/series/a"}
    await act(ada, f"/api/packages/{package}", "PATCH", json=change)
    assert (await one(ada))["targetDir"] == "series/a"


async def test_changing_a_package(ada: Client) -> None:
    package = await add(ada, A, B, passwords=["x"])
    path = f"/api/packages/{package}"
    await act(ada, path, "PATCH", json={"name": " New ", "targetDir": "/a/../b/"})
    found = await one(ada)
    assert (found["name"], found["targetDir"]) == ("New", "a/b")
    assert found["hasPasswords"] is True
    await act(ada, path, "PATCH", json={"name": "  ", "passwords": "", "priority": 2})
    found = await one(ada)
    assert (found["name"], found["hasPasswords"], found["priority"]) == ("New", False, 2)
    assert [each["priority"] for each in found["downloads"]] == [2, 2]
    assert await ada.code("PATCH", path, json={"priority": 3}) == (400, "invalid_request")
    await act(ada, path, "PATCH", json={})


async def test_whole_package_is_started(ada: Client) -> None:
    package = await add(ada, A, B)
    await mark(ada, "online = 'offline'", f"url = '{B}'")
    await act(ada, f"/api/packages/{package}/start")
    found = await one(ada, "queue")
    assert found["collector"] is False
    assert found["downloads"][0]["status"] != "collected"
    # Offline downloads are not started.
    assert found["downloads"][1]["status"] == "collected"


async def test_chosen_downloads_start_and_the_rest_stays(ada: Client) -> None:
    package = await add(ada, A, B, C, packageName="P", targetDir="T", source="cnl", passwords="x")
    ids = [each["id"] for each in await downloads(ada)]
    await act(ada, f"/api/packages/{package}/start", json={"downloadIds": ids[1:]})
    rest, started = await one(ada, "collector"), await one(ada, "queue")
    assert (rest["id"], [each["id"] for each in rest["downloads"]]) == (package, ids[:1])
    assert started["id"] != package
    assert [each["id"] for each in started["downloads"]] == ids[1:]
    for field in ("name", "targetDir", "source", "hasPasswords", "priority"):
        assert rest[field] == started[field]


async def test_invalid_choices_are_rejected(ada: Client) -> None:
    package, other = await add(ada, A, B), await add(ada, C)
    path = f"/api/packages/{package}/start"
    ids = {each["packageId"]: each["id"] for each in await downloads(ada)}
    assert await ada.code("POST", path, json={"downloadIds": []}) == (400, "nothing_chosen")
    foreign = {"downloadIds": [ids[other]]}
    assert await ada.code("POST", path, json=foreign) == (404, "not_found")
    assert await ada.code("POST", path, json={"downloadIds": [-1]}) == (400, "invalid_request")
    assert await ada.code("POST", path, json={"downloadIds": "1"}) == (400, "invalid_request")
    assert await ada.code("POST", path, json={"downloads": [1]}) == (400, "invalid_request")
    await mark(ada, "online = 'offline'", f"id = {ids[package]}")
    chosen = {"downloadIds": [ids[package]]}
    assert await ada.code("POST", path, json=chosen) == (409, "all_offline")
    assert {each["status"] for each in await downloads(ada)} == {"collected"}


async def test_choosing_all_downloads_starts_the_whole_package(ada: Client) -> None:
    package = await add(ada, A, B)
    ids = [each["id"] for each in await downloads(ada)]
    await act(ada, f"/api/packages/{package}/start", json={"downloadIds": [*ids, *ids]})
    assert (await one(ada, "queue"))["id"] == package
    assert await packages(ada, "collector") == []


async def test_empty_package_is_removed(ada: Client) -> None:
    await add(ada, A, B)
    first, second = await downloads(ada)
    await act(ada, f"/api/downloads/{first['id']}", "DELETE")
    assert len((await one(ada))["downloads"]) == 1
    await act(ada, f"/api/downloads/{second['id']}", "DELETE")
    assert await packages(ada, "collector") == []
    assert await ada.code("DELETE", f"/api/downloads/{second['id']}") == (404, "not_found")
    # Ids are never reused.
    await add(ada, A)
    assert (await downloads(ada))[0]["id"] > second["id"]


async def test_clear_finished_keeps_other_downloads(ada: Client) -> None:
    await add(ada, A, B)
    await add(ada, C)
    await mark(ada, "status = 'finished'", f"url IN ('{A}', '{C}')")
    await act(ada, "/api/downloads/clear-finished")
    assert [each["url"] for each in await downloads(ada)] == [B]


async def test_pause_all_and_resume_all(ada: Client) -> None:
    await add(ada, A, B, C)
    await mark(ada, "status = 'queued', retry_at = 9000000000000", f"url = '{A}'")
    await mark(ada, "status = 'failed'", f"url = '{B}'")
    await act(ada, "/api/downloads/pause-all")
    states = [each["status"] for each in await downloads(ada)]
    assert states == ["paused", "failed", "collected"]
    await act(ada, "/api/downloads/resume-all")
    states = [each["status"] for each in await downloads(ada)]
    assert states[0] not in ("paused", "collected")
    assert states[1:] == ["failed", "collected"]


async def test_packages_are_reordered(ada: Client) -> None:
    ids = [await add(ada, f"http://host.invalid/{number}") for number in range(4)]
    order = {"ids": [ids[3], ids[1]]}
    await act(ada, "/api/packages/order", json=order)
    shown = [each["id"] for each in await packages(ada, "collector")]
    assert shown == [ids[0], ids[3], ids[2], ids[1]]
    wrong = {"ids": [ids[0], 99]}
    assert await ada.code("POST", "/api/packages/order", json=wrong) == (404, "not_found")
    await act(ada, "/api/packages/order", json={"ids": []})


async def test_browsers_are_notified(ada: Client) -> None:
    async with ada.started.kernel.events.subscribe() as events:
        await add(ada, A)
        frames = await events.batch(5)
    changed = [msgspec.json.decode(each.data) for each in frames if each.type == "changed"]
    assert changed[0] == {"type": "changed", "topic": "downloads"}


async def test_packages_on_postgresql(postgres_url: str, tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path, database_url=postgres_url) as client:
        await client.post("/api/auth/setup", json=first_user(tmp_path))
        package = await add(client, A, B, C, packageName="Ätna\0", passwords="x")
        long = await add(client, f"http://host.invalid/{'x' * 7000}", B)
        assert len(await downloads(client, q="ÄTNA")) == 3
        ids = [each["id"] for each in await downloads(client)]
        await act(client, f"/api/packages/{package}/start", json={"downloadIds": ids[:1]})
        await act(client, f"/api/packages/{package}/pause")
        await act(client, f"/api/packages/{long}", "PATCH", json={"priority": 1})
        await act(client, "/api/packages/order", json={"ids": [long, package]})
        shown = await packages(client, "collector", limit=1)
        assert shown[0]["summary"]["downloads"] == 2
        await act(client, "/api/downloads/resume-all")
        assert (await client.get("/api/stats")).json()["collected"] == 4
        await client.put("/api/settings", json={"maxParallel": 1})
        await act(client, f"/api/packages/{package}", "DELETE")
        await act(client, "/api/downloads/clear-finished")
        assert len(await downloads(client)) == 3


async def test_session_is_required(ada: Client) -> None:
    ada.cookies.clear()
    for method, path in [
        ("GET", "/api/packages"),
        ("POST", "/api/packages/1/start"),
        ("DELETE", "/api/packages/1"),
        ("POST", "/api/downloads/pause-all"),
        ("GET", "/api/settings"),
        ("GET", "/api/stats"),
    ]:
        assert await ada.code(method, path) == (401, "signed_out")
    assert await ada.code("POST", "/api/links", json={"links": A}) == (401, "signed_out")
