"""The online check of collected links."""

from typing import Any

import pytest

from quartet.downloads.hosters import link_checker
from quartet.downloads.links.probe import probe_link
from quartet.downloads.links.types import LinkInfo
from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, packages, until
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


async def test_name_size_and_state_are_filled_in(ada: Client, server: FileServer) -> None:
    await add(ada, server.put("x.bin", b"x" * 12_345), server.url("gone.bin"))
    shown = await until(ada, lambda all: all[1]["online"] == "offline")
    assert (shown[0]["online"], shown[0]["size"]) == ("online", 12_345)
    assert {each["status"] for each in shown} == {"collected"}
    # One byte was requested, not the whole file.
    assert server.requests == ["bytes=0-0 x.bin", "bytes=0-0 gone.bin"]


async def test_four_links_are_checked_at_a_time(ada: Client, server: FileServer) -> None:
    server.answering.clear()
    await add(ada, *(server.put(f"{number}.bin", b"x") for number in range(10)))
    while len(server.requests) < 4:
        await server.waiting.wait()
        server.waiting.clear()
    assert len(server.requests) == 4
    server.answering.set()
    await until(ada, lambda all: all[-1]["online"] == "online")
    assert len(server.requests) == 10


async def test_unreachable_links_stay_unknown_and_are_not_checked_again(
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


async def test_link_that_is_online_again_starts_with_its_package(
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


async def test_package_can_be_checked_again(ada: Client, server: FileServer) -> None:
    package = await add(ada, server.url("late.bin"))
    await until(ada, lambda all: all[0]["online"] == "offline")
    server.put("late.bin", b"now")
    answer = await ada.post(f"/api/packages/{package}/check")
    assert answer.status_code == 202
    [found] = await until(ada, lambda all: all[0]["online"] == "online")
    assert (found["size"], found["status"]) == (3, "collected")
    assert (await downloads(ada))[0]["packageId"] == package


async def test_failing_check_does_not_stop_others(
    ada: Client, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def odd(outbound: Any, url: str) -> LinkInfo:
        if url.endswith("odd.bin"):
            raise RuntimeError("unexpected error")
        return await probe_link(outbound, url)

    monkeypatch.setattr(link_checker, "probe_link", odd)
    await add(ada, server.put("odd.bin", b"x"), server.put("y.bin", b"y"))
    shown = await until(ada, lambda all: all[1]["online"] == "online")
    assert shown[0]["online"] == "unknown"
