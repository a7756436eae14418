"""Downloads that wait for the user or a countdown do not block the queue."""

from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.downloads.api_calls import add, until, until_all
from tests.downloads.extraction_helpers import setting
from tests.downloads.plugins import plugin_text, put_plugin
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

LINKS = [f"https://demo.invalid/f/{number}" for number in range(3)]
WAITS = {
    "captcha": "await ctx.captcha('recaptcha', site_key='k', page_url=link.url)",
    "password": "await ctx.password()",
    "countdown": "await ctx.wait(500)",
}


def waiting_plugin(wait: str, address: str, *more: str) -> str:
    return plugin_text(
        *more, f"async def resolve(self, link, ctx):\n    {wait}\n    return File({address!r})"
    )


async def questions(ada: Client) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = (await ada.get("/api/captchas")).json()
    return shown


@pytest.mark.parametrize("wait", WAITS)
async def test_waiting_downloads_hold_no_slot(
    ada: Client, tmp_path: Path, server: FileServer, wait: str
) -> None:
    await setting(ada, maxParallel=3)
    plain = server.put("plain.bin", b"x" * 1000)
    put_plugin(tmp_path, waiting_plugin(WAITS[wait], plain))
    await add(ada, *LINKS, plain, start=True)
    shown = await until(ada, lambda all: all[-1]["status"] == "finished")
    assert [each["status"] for each in shown[:-1]] == ["resolving"] * 3
    assert (await ada.get("/api/stats")).json()["active"] == 0


async def test_calls_that_wait_for_their_turn_hold_no_slot(
    ada: Client, tmp_path: Path, server: FileServer
) -> None:
    await setting(ada, maxParallel=3)
    plain = server.put("plain.bin", b"x" * 1000)
    put_plugin(tmp_path, waiting_plugin(WAITS["captcha"], plain, "serial = True"))
    await add(ada, *LINKS, plain, start=True)
    await until(ada, lambda all: all[-1]["status"] == "finished")
    assert len(await questions(ada)) == 1


async def test_answered_download_starts_although_all_slots_are_taken(
    ada: Client, tmp_path: Path, server: FileServer
) -> None:
    await setting(ada, maxParallel=1)
    address = server.put("asked.bin", b"y" * 1000)
    put_plugin(tmp_path, waiting_plugin(WAITS["captcha"], address))
    slow = server.put("slow.bin", b"x" * 100_000)
    package = await add(ada, LINKS[0], slow)
    await ada.patch(f"/api/packages/{package}", json={"speedLimitKib": 1})
    await ada.post(f"/api/packages/{package}/start")
    await until(ada, lambda all: [each["status"] for each in all] == ["resolving", "downloading"])
    [question] = await questions(ada)
    given = {"id": question["id"], "secret": question["secret"], "token": "yes"}
    assert (await ada.post("/api/captcha/solve", json=given)).status_code == 204
    await until(ada, lambda all: all[0]["status"] == "finished")


async def test_many_waiting_downloads_of_one_host_are_limited(
    ada: Client, tmp_path: Path, server: FileServer
) -> None:
    plain = server.put("plain.bin", b"x" * 1000)
    put_plugin(tmp_path, waiting_plugin(WAITS["captcha"], plain))
    await add(ada, *(f"https://demo.invalid/f/{number}" for number in range(40)), start=True)
    await until(ada, lambda all: sum(each["status"] == "resolving" for each in all) >= 20)
    await add(ada, plain, start=True)
    shown = await until(ada, lambda all: all[-1]["status"] == "finished")
    assert sum(each["status"] == "resolving" for each in shown) <= 23
    await ada.post("/api/downloads/pause-all")
    await until_all(ada, "paused", "finished")
