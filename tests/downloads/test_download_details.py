"""Details of a download: segments, checksum and failed attempts."""

import asyncio
import random
from typing import Any

import pytest

from quartet.downloads.queue import failures
from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, until, until_all
from tests.downloads.plugins import plugin_text, put_plugin
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

MIB = 1024 * 1024


async def details(client: Client, id: int) -> dict[str, Any]:
    answer = await client.get(f"/api/downloads/{id}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def begun(client: Client, server: FileServer) -> int:
    """Start a download of 20 MiB with four segments that all have received some bytes."""
    server.open.clear()
    await add(client, server.put("big.bin", random.Random(1).randbytes(20 * MIB)), start=True)
    [download] = await downloads(client)
    id: int = download["id"]
    async with asyncio.timeout(60):
        while (await details(client, id))["connections"] < 4:
            await asyncio.sleep(0.02)
        while any(each["done"] == 0 for each in (await details(client, id))["segments"]):
            await asyncio.sleep(0.02)
    return id


def whole(segments: list[dict[str, int]], size: int) -> bool:
    """Return whether the segments cover the file without gaps."""
    places = [0, *(each["to"] for each in segments)]
    return places[:-1] == [each["from"] for each in segments] and places[-1] == size


async def test_running_download_shows_segments(ada: Client, server: FileServer) -> None:
    found = await details(ada, await begun(ada, server))
    assert whole(found["segments"], 20 * MIB)
    assert len(found["segments"]) == found["connections"] == 4
    assert sum(each["done"] for each in found["segments"]) == found["download"]["bytesDone"]


async def test_paused_download_shows_segments_of_checkpoint(
    ada: Client, server: FileServer
) -> None:
    id = await begun(ada, server)
    await act(ada, f"/api/downloads/{id}/pause")
    async with asyncio.timeout(60):
        while (found := await details(ada, id))["connections"]:
            await asyncio.sleep(0.02)
    assert found["download"]["status"] == "paused"
    assert whole(found["segments"], 20 * MIB)
    assert all(each["done"] > 0 for each in found["segments"])


async def test_finished_download_has_no_segments(ada: Client, server: FileServer) -> None:
    await add(ada, server.put("a.bin", b"abc"), start=True)
    [download] = await until_all(ada, "finished")
    found = await details(ada, download["id"])
    assert (found["segments"], found["attempts"], found["hashValue"]) == ([], [], None)
    assert found["download"] == download


async def test_failed_attempts_are_listed_newest_first(
    ada: Client, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "FIRST_RETRY_SECONDS", 0.01)
    server.refusals["a.bin"] = [503, 403]
    await add(ada, server.put("a.bin", b"abc"), start=True)
    [download] = await until_all(ada, "finished")
    attempts = (await details(ada, download["id"]))["attempts"]
    assert [each["error"]["inputs"] for each in attempts] == [{"status": 403}, {"status": 503}]
    assert attempts[0]["endedAt"] >= attempts[1]["endedAt"] >= download["createdAt"]
    # Deleting a download deletes its attempts.
    await act(ada, f"/api/downloads/{download['id']}", "DELETE")
    left = await ada.started.kernel.db.read(
        lambda conn: conn.exec_driver_sql("SELECT count(*) FROM attempts").scalar_one()
    )
    assert left == 0


async def test_last_twenty_attempts_are_kept(
    ada: Client, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "FIRST_RETRY_SECONDS", 0.001)
    await ada.put("/api/settings", json={"maxRetries": 50})
    server.refusals["a.bin"] = [503] * 24
    await add(ada, server.put("a.bin", b"abc"), start=True)
    monkeypatch.setattr(failures, "MAX_RETRY_SECONDS", 0.001)
    [download] = await until_all(ada, "finished")
    assert len((await details(ada, download["id"]))["attempts"]) == 20


async def test_checksum_from_hoster_is_shown(ada: Client) -> None:
    put_plugin(
        ada.started.kernel.settings.data,
        plugin_text("""
            async def check(self, link, ctx):
                return Checked(True, "a.bin", 3, Hash("md5", "0" * 32))

            async def resolve(self, link, ctx):
                raise Fatal
        """),
    )
    await add(ada, "https://demo.invalid/f/one")
    [download] = await until(ada, lambda all: all[0]["online"] != "unknown")
    assert (await details(ada, download["id"]))["hashValue"] == "0" * 32


@pytest.mark.parametrize("id", [99, 0, 2**60])
async def test_unknown_download_is_not_found(ada: Client, id: int) -> None:
    answer = await ada.get(f"/api/downloads/{id}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
