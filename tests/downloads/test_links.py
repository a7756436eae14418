"""Adding links."""

from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from quartet.downloads.packages.tables import packages as table
from tests.client import Client
from tests.downloads.api_calls import act, add, one, packages

pytestmark = pytest.mark.anyio

# Reserved names that never resolve, so nothing is downloaded.
A, B, C = (f"http://host.invalid/{name}.bin" for name in "abc")


async def test_links_are_added_to_link_grabber(ada: Client) -> None:
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
        "downloads": 2, "finished": 0, "failed": 0, "size": 0, "bytesDone": 0,
        "unknownSizes": 2, "skipped": 0,
    }  # fmt: skip
    assert [each["url"] for each in found["downloads"]] == [A, B]
    first = found["downloads"][0]
    assert first == {
        "id": 1, "packageId": package, "url": A, "host": "host.invalid", "pluginId": None,
        "status": "collected", "online": "unknown", "name": "a.bin", "size": None,
        "bytesDone": 0, "error": None, "attempts": 0, "retryAt": None,
        "createdAt": found["createdAt"], "finishedAt": None, "hashType": None, "hashOk": None,
        "priority": 0, "position": 1, "speedLimitKib": 0, "file": None, "torrentPath": None,
        "startedNow": False,
        "section": "waiting",
    }  # fmt: skip


async def test_all_fields_of_request(ada: Client) -> None:
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
    query = select(table.c.passwords, table.c.download_password)
    return tuple(await client.started.kernel.db.read(lambda conn: conn.execute(query).one()))


async def test_passwords_as_text(ada: Client) -> None:
    await add(ada, A, passwords="first\r\n\n second ", password="x")
    assert await passwords(ada) == (["x", "first", " second "], "x")


@pytest.mark.parametrize("links", ["", "nothing here", "file:///etc/passwd", "magnet:?xt=1"])
async def test_text_without_links_is_rejected(ada: Client, links: str) -> None:
    assert await ada.code("POST", "/api/links", json={"links": links}) == (400, "no_links")


async def test_pasted_nzb_file_is_refused_as_such(ada: Client) -> None:
    nzb = (
        '<?xml version="1.0"?><nzb xmlns="http://n.example/nzb"><file subject="http://x.example"/>'
    )
    refused = await ada.code("POST", "/api/links", json={"links": nzb})
    assert refused == (422, "nzb_unsupported")
    assert await packages(ada, "collector") == []


async def test_duplicate_links_are_counted(ada: Client) -> None:
    await add(ada, A, B)
    answer = await ada.post("/api/links", json={"links": f"{B} {C} {B}"})
    assert answer.json() == {"packageId": 2, "duplicates": 1}


# Injection attempts.
@pytest.mark.parametrize(
    "name",
    ["x'; DROP TABLE packages; --", "<script>alert(1)</script>", "line\nbreak", "ünï 🚀", '"'],
)
async def test_package_names_are_not_changed(ada: Client, name: str) -> None:
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
async def test_wrong_types_are_rejected(ada: Client, body: Any) -> None:
    assert await ada.code("POST", "/api/links", json=body) == (400, "invalid_request")
