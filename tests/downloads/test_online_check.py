"""Collected links are looked at in the background."""

from typing import Any

import pytest

from quartet.downloads.hosters import checking
from quartet.downloads.links.look import look
from quartet.downloads.links.types import Found
from tests.client import Client
from tests.downloads.server import FileServer
from tests.downloads.talk import act, add, downloads, packages, until

pytestmark = pytest.mark.anyio


async def test_name_size_and_state_are_filled_in(ada: Client, server: FileServer) -> None:
    await add(ada, server.put("x.bin", b"x" * 12_345), server.url("gone.bin"))
    shown = await until(ada, lambda all: all[1]["online"] == "offline")
    assert (shown[0]["online"], shown[0]["size"]) == ("online", 12_345)
    assert {each["status"] for each in shown} == {"collected"}
    # Asked for one byte, not for the file.
    assert server.requests == ["bytes=0-0 x.bin", "bytes=0-0 gone.bin"]


async def test_four_at_a_time(ada: Client, server: FileServer) -> None:
    server.answering.clear()
    await add(ada, *(server.put(f"{number}.bin", b"x") for number in range(10)))
    while len(server.requests) < 4:
        await server.waiting.wait()
        server.waiting.clear()
    assert len(server.requests) == 4
    server.answering.set()
    await until(ada, lambda all: all[-1]["online"] == "online")
    assert len(server.requests) == 10


async def test_what_cannot_be_reached_stays_unknown_and_is_not_asked_again(
    ada: Client, server: FileServer
) -> None:
    server.refusals["x.bin"] = [403] * 9
    await add(ada, server.put("x.bin", b"x"), server.put("y.bin", b"y"), "ftp://host.invalid/z")
    shown = await until(ada, lambda all: all[1]["online"] == "online")
    assert [each["online"] for each in shown] == ["unknown", "online", "unknown"]
    asked = len(server.requests)
    await add(ada, server.put("other.bin", b"x"))
    await until(ada, lambda all: all[-1]["online"] == "online")
    assert len(server.requests) == asked + 1


async def test_a_link_that_comes_back_starts_with_its_package(
    ada: Client, server: FileServer
) -> None:
    package = await add(ada, server.put("a.bin", b"a"), server.url("b.bin"))
    await until(ada, lambda all: [each["online"] for each in all] == ["online", "offline"])
    await act(ada, f"/api/packages/{package}/start")
    await until(ada, lambda all: [each["status"] for each in all] == ["finished", "collected"])
    server.put("b.bin", b"b")
    await act(ada, f"/api/packages/{package}/check")
    shown = await until(ada, lambda all: {each["status"] for each in all} == {"finished"})
    assert shown[1]["file"] == f"{(await packages(ada))[0]['targetDir']}/b.bin"


async def test_checking_a_package_again(ada: Client, server: FileServer) -> None:
    package = await add(ada, server.url("late.bin"))
    await until(ada, lambda all: all[0]["online"] == "offline")
    server.put("late.bin", b"now")
    answer = await ada.post(f"/api/packages/{package}/check")
    assert answer.status_code == 202
    [found] = await until(ada, lambda all: all[0]["online"] == "online")
    assert (found["size"], found["status"]) == (3, "collected")
    assert (await downloads(ada))[0]["packageId"] == package


async def test_one_that_cannot_be_looked_at_does_not_stop_the_others(
    ada: Client, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def odd(outbound: Any, url: str) -> Found:
        if url.endswith("odd.bin"):
            raise RuntimeError("nobody has thought of this")
        return await look(outbound, url)

    monkeypatch.setattr(checking, "look", odd)
    await add(ada, server.put("odd.bin", b"x"), server.put("y.bin", b"y"))
    shown = await until(ada, lambda all: all[1]["online"] == "online")
    assert shown[0]["online"] == "unknown"
