"""Adding links, and what can be done with the list."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from quartet.downloads.app import SERVICE
from quartet.downloads.packages.service import Packages
from tests.client import Client, client_of
from tests.downloads.conftest import USER
from tests.downloads.talk import act, add, downloads, packages

pytestmark = pytest.mark.anyio

# Reserved names that no resolver knows: nothing is ever loaded here.
A, B, C = (f"http://host.invalid/{name}.bin" for name in "abc")
NOBODY = [0, -1, 99, 2**53, 2**63, 10**30]


async def one(client: Client, view: str = "collector") -> dict[str, Any]:
    [package] = await packages(client, view)
    return package


async def test_links_go_into_the_link_grabber(ada: Client) -> None:
    package = await add(ada, A, B)
    assert await packages(ada, "queue") == []
    found = await one(ada)
    assert found["id"] == package
    assert found["collector"] is True
    assert (found["name"], found["targetDir"]) == ("a (+1)", "a (+1)")
    assert (found["source"], found["sourcePage"]) == ("manual", None)
    assert found["extract"] is found["extractError"] is None
    assert found["hasPasswords"] is False
    assert found["summary"] == {
        "downloads": 2, "finished": 0, "failed": 0, "size": 0, "bytesDone": 0
    }  # fmt: skip
    assert [each["url"] for each in found["downloads"]] == [A, B]
    first = found["downloads"][0]
    assert first == {
        "id": 1, "packageId": package, "url": A, "host": "host.invalid", "pluginId": None,
        "status": "collected", "online": "unknown", "name": "a.bin", "size": None,
        "bytesDone": 0, "error": None, "attempts": 0, "retryAt": None,
        "createdAt": found["createdAt"], "finishedAt": None, "hashType": None, "hashOk": None,
        "priority": 0, "position": 1, "speedLimitKib": 0, "file": None,
    }  # fmt: skip


async def test_every_field_of_the_body(ada: Client) -> None:
    body = {
        "links": f"{A}\n{B}",
        "packageName": "My Package",
        "targetDir": "../shows//./Season 1",
        "password": "one",
        "downloadPassword": "two",
        "passwords": ["three", "", "three", "one"],
        "start": True,
        "source": "cnl",
        "sourcePage": "https://page.invalid/x",
    }
    await act(ada, "/api/downloads/pause-all")
    answer = await ada.post("/api/links", json=body)
    assert answer.json() == {"packageId": 1, "duplicates": 0}
    found = await one(ada, "queue")
    assert found["name"] == "My Package"
    assert found["targetDir"] == "shows/Season 1"
    assert found["hasPasswords"] is True
    assert (found["source"], found["sourcePage"]) == ("cnl", "https://page.invalid/x")
    assert "one" not in msgspec.json.encode(found).decode().split('"')
    assert await passwords(ada) == (["one", "three"], "two")


async def passwords(client: Client) -> Any:
    query = "SELECT passwords, download_password FROM packages"
    row = await client.started.kernel.db.read(lambda conn: conn.exec_driver_sql(query).one())
    return msgspec.json.decode(row[0]), row[1]


async def test_passwords_as_text(ada: Client) -> None:
    await add(ada, A, passwords="first\r\n\n second ", password="x")
    assert await passwords(ada) == (["x", "first", " second "], "x")


@pytest.mark.parametrize("links", ["", "nothing here", "file:///etc/passwd", "magnet:?xt=1"])
async def test_text_without_links_is_refused(ada: Client, links: str) -> None:
    assert await ada.code("POST", "/api/links", json={"links": links}) == (400, "no_links")
    assert await packages(ada, "collector") == []


async def test_links_that_are_there_already_are_noticed(ada: Client) -> None:
    await add(ada, A, B)
    answer = await ada.post("/api/links", json={"links": f"{B} {C} {B}"})
    assert answer.json() == {"packageId": 2, "duplicates": 1}


# Hostile case 15.
@pytest.mark.parametrize(
    "name",
    ["x'; DROP TABLE packages; --", "<script>alert(1)</script>", "line\nbreak", "ünï 🚀", '"'],
)
async def test_names_are_kept_as_they_are(ada: Client, name: str) -> None:
    await add(ada, A, packageName=name)
    found = await one(ada)
    assert found["name"] == name
    assert "/" not in found["targetDir"] and "\n" not in found["targetDir"]
    await act(ada, f"/api/packages/{found['id']}", "PATCH", json={"name": name + name})
    assert (await one(ada))["name"] == name + name


@pytest.mark.parametrize(
    "body",
    [
        {"links": 5}, {"links": None}, {}, [], {"links": A, "start": "yes"},
        {"links": A, "passwords": [1]}, {"links": A, "packageName": {}},
    ],
)  # fmt: skip
async def test_wrong_types_are_refused(ada: Client, body: Any) -> None:
    assert await ada.code("POST", "/api/links", json=body) == (400, "invalid_request")


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


async def test_the_whole_package_starts(ada: Client) -> None:
    package = await add(ada, A, B)
    await mark(ada, "online = 'offline'", f"url = '{B}'")
    await act(ada, f"/api/packages/{package}/start")
    found = await one(ada, "queue")
    assert found["collector"] is False
    assert found["downloads"][0]["status"] != "collected"
    # What is offline has nothing to wait for.
    assert found["downloads"][1]["status"] == "collected"


async def mark(client: Client, what: str, where: str) -> None:
    query = f"UPDATE downloads SET {what} WHERE {where}"
    await client.started.kernel.db.write(lambda tx: tx.conn.exec_driver_sql(query))


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


async def test_choosing_wrongly(ada: Client) -> None:
    package, other = await add(ada, A, B), await add(ada, C)
    path = f"/api/packages/{package}/start"
    ids = {each["packageId"]: each["id"] for each in await downloads(ada)}
    assert await ada.code("POST", path, json={"downloadIds": []}) == (400, "nothing_chosen")
    foreign = {"downloadIds": [ids[other]]}
    assert await ada.code("POST", path, json=foreign) == (404, "not_found")
    assert await ada.code("POST", path, json={"downloadIds": [-1]}) == (400, "invalid_request")
    assert await ada.code("POST", path, json={"downloadIds": "1"}) == (400, "invalid_request")
    await mark(ada, "online = 'offline'", f"id = {ids[package]}")
    chosen = {"downloadIds": [ids[package]]}
    assert await ada.code("POST", path, json=chosen) == (409, "all_offline")
    assert {each["status"] for each in await downloads(ada)} == {"collected"}


async def test_all_chosen_is_the_whole_package(ada: Client) -> None:
    package = await add(ada, A, B)
    ids = [each["id"] for each in await downloads(ada)]
    await act(ada, f"/api/packages/{package}/start", json={"downloadIds": [*ids, *ids]})
    assert (await one(ada, "queue"))["id"] == package
    assert await packages(ada, "collector") == []


async def test_an_empty_package_vanishes(ada: Client) -> None:
    await add(ada, A, B)
    first, second = await downloads(ada)
    await act(ada, f"/api/downloads/{first['id']}", "DELETE")
    assert len((await one(ada))["downloads"]) == 1
    await act(ada, f"/api/downloads/{second['id']}", "DELETE")
    assert await packages(ada, "collector") == []
    assert await ada.code("DELETE", f"/api/downloads/{second['id']}") == (404, "not_found")
    # An id is never given to somebody else.
    await add(ada, A)
    assert (await downloads(ada))[0]["id"] > second["id"]


async def test_clear_finished_keeps_the_rest(ada: Client) -> None:
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


async def test_packages_change_places(ada: Client) -> None:
    ids = [await add(ada, f"http://host.invalid/{number}") for number in range(4)]
    order = {"ids": [ids[3], ids[1]]}
    await act(ada, "/api/packages/order", json=order)
    shown = [each["id"] for each in await packages(ada, "collector")]
    assert shown == [ids[0], ids[3], ids[2], ids[1]]
    wrong = {"ids": [ids[0], 99]}
    assert await ada.code("POST", "/api/packages/order", json=wrong) == (404, "not_found")
    await act(ada, "/api/packages/order", json={"ids": []})


async def test_where_nothing_can_be_unpacked(ada: Client) -> None:
    package = await add(ada, A)
    of_service = ada.started.wing.dependencies["packages"]
    assert isinstance(of_service, Packages)
    of_service.extraction = None
    answer = await ada.code("POST", f"/api/packages/{package}/extract")
    assert answer == (409, "extraction_unavailable")


async def test_search_and_filter(ada: Client) -> None:
    await add(
        ada, "http://host.invalid/100%25_x.bin", "http://host.invalid/other.bin", packageName="P"
    )
    await add(ada, A, packageName="Ätna 100")
    assert [each["name"] for each in await downloads(ada, q="100%")] == ["100%_x.bin"]
    assert [each["name"] for each in await downloads(ada, q="OTHER")] == ["other.bin"]
    assert [each["name"] for each in await downloads(ada, q="tna")] == ["a.bin"]
    assert await downloads(ada, q="'\"; --") == []
    await mark(ada, "status = 'failed'", f"url = '{A}'")
    assert [each["url"] for each in await downloads(ada, state="failed")] == [A]
    answer = await ada.code("GET", "/api/packages", params={"state": "strange"})
    assert answer == (400, "invalid_request")


async def test_pages_follow_each_other(ada: Client) -> None:
    for number in range(3):
        await add(ada, *(f"http://host.invalid/{number}-{file}" for file in range(5)))
    seen: list[str] = []
    query: dict[str, Any] = {"view": "collector", "limit": 4}
    while True:
        page = (await ada.get("/api/packages", params=query)).json()
        shown = [each["url"] for package in page["packages"] for each in package["downloads"]]
        assert all(package["summary"]["downloads"] == 5 for package in page["packages"])
        seen += shown
        if page["nextCursor"] is None:
            break
        assert len(shown) == 4
        query["cursor"] = page["nextCursor"]
    assert seen == [f"http://host.invalid/{n}-{file}" for n in range(3) for file in range(5)]


@pytest.mark.parametrize("cursor", ["x", "1", "1.2", "-1.0.0", "².1.1", "9" * 30 + ".1.1"])
async def test_a_broken_cursor_is_refused(ada: Client, cursor: str) -> None:
    answer = await ada.code("GET", "/api/packages", params={"cursor": cursor})
    assert answer == (400, "invalid_request")


@pytest.mark.parametrize("limit", ["0", "-1", "99999", "x"])
async def test_a_page_has_its_limits(ada: Client, limit: str) -> None:
    answer = await ada.code("GET", "/api/packages", params={"limit": limit})
    assert answer == (400, "invalid_request")


async def test_browsers_are_told(ada: Client) -> None:
    async with ada.started.kernel.events.subscribe() as news:
        await add(ada, A)
        frames = await news.batch(5)
    changed = [msgspec.json.decode(each.data) for each in frames if each.type == "changed"]
    assert changed[0] == {"type": "changed", "topic": "downloads"}


async def test_the_list_on_postgresql(postgres_url: str, tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path, database_url=postgres_url) as client:
        await client.post("/api/auth/setup", json=USER)
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


async def test_nothing_without_a_login(ada: Client) -> None:
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
