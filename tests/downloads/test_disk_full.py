"""A full disk and folders that cannot be written, as seen by the user."""

from pathlib import Path

import pytest
from aiohttp import web

from quartet.downloads.queue.scheduler import tasks
from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.plugins import imitation
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

# Larger than any disk.
ENDLESS = 2**52


async def test_missing_space_pauses_download_until_resumed(ada: Client, tmp_path: Path) -> None:
    asked: list[str] = []
    sizes = {"now": ENDLESS}

    async def file(request: web.Request) -> web.StreamResponse:
        asked.append(request.headers["Range"])
        size = sizes["now"]
        answer = web.StreamResponse(status=206)
        answer.headers["Content-Range"] = f"bytes 0-{size - 1}/{size}"
        answer.headers["ETag"] = f'"{size}"'
        answer.content_type = "application/octet-stream"
        answer.content_length = size
        await answer.prepare(request)
        await answer.write(b"x" * 1000)
        return answer

    async with imitation({"GET /x.bin": file}) as base:
        await add(ada, f"{base}/x.bin", packageName="P", start=True)
        (shown,) = await until_all(ada, "paused")
        error = shown["error"]
        assert (error["code"], error["inputs"]["path"]) == ("no_space", "x.bin")
        assert error["inputs"]["needed"] == ENDLESS
        await act(ada, "/api/downloads/resume-all")
        await until(ada, lambda all: len(asked) == 2 and all[0]["status"] == "paused")
        sizes["now"] = 1000
        await act(ada, "/api/downloads/resume-all")
        await until_all(ada, "finished")
    assert (tmp_path / "done" / "P" / "x.bin").read_bytes() == b"x" * 1000


async def test_download_continues_when_there_is_space(
    tmp_path: Path, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "SPACE_SECONDS", 0.05)
    free = {"now": 1000}
    monkeypatch.setattr("quartet.kernel.files.space.free_space", lambda _fd: free["now"])
    async with logged_in(tmp_path) as ada:
        await add(ada, server.put("x.bin", b"x" * 100_000), packageName="P", start=True)
        await until_all(ada, "paused")
        free["now"] = 2**40
        await until_all(ada, "finished")
    assert (tmp_path / "done" / "P" / "x.bin").read_bytes() == b"x" * 100_000


async def test_unwritable_folder_loses_nothing(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    data = b"whole" * 100_000
    (tmp_path / "done").mkdir(exist_ok=True)
    (tmp_path / "done" / "P").write_text("in the way")
    await add(ada, server.put("x.bin", data), packageName="P", start=True)
    (shown,) = await until(ada, lambda all: all[0]["error"] is not None)
    assert shown["error"]["code"] in ("not_a_folder", "already_exists")
    (part,) = (tmp_path / "tmp").glob("*.part")
    assert part.read_bytes() == data
    (tmp_path / "done" / "P").unlink()
    await act(ada, "/api/downloads/pause-all")
    await until_all(ada, "paused")
    await act(ada, "/api/downloads/resume-all")
    await until_all(ada, "finished")
    assert (tmp_path / "done" / "P" / "x.bin").read_bytes() == data
    assert len(await downloads(ada)) == 1
