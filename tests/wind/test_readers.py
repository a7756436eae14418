"""Files of a provider over HTTP and from a folder, and the worker processes."""

import asyncio
import os
import select
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient
from quartet.wind.ingest.readers import FolderReader, HttpReader
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Reader
from tests.wind.upstream import Clock, Provider

CHANGED = 1_778_544_000


@pytest.fixture
async def over_http(served: Provider) -> AsyncIterator[HttpReader]:
    path = served.folder / "file"
    path.write_bytes(b"0123456789")
    os.utime(path, (CHANGED, CHANGED))
    async with OutboundClient(allow_private=True, retries=0) as outbound:
        yield HttpReader(lambda: outbound, served.address)


@pytest.fixture(params=["http", "folder"])
def reader(request: pytest.FixtureRequest, over_http: HttpReader, served: Provider) -> Reader:
    return over_http if request.param == "http" else FolderReader(served.folder)


@pytest.mark.anyio
async def test_files_and_ranges_are_read(reader: Reader) -> None:
    assert await reader.read("file", limit=10) == b"0123456789"
    assert await reader.read_piece("file", 3, 4, limit=10) == b"3456"
    assert await reader.read_piece("file", 7, None, limit=10) == b"789"


@pytest.mark.anyio
async def test_missing_file_raises_not_yet(reader: Reader) -> None:
    with pytest.raises(NotYet):
        await reader.read("nothing", limit=100)
    with pytest.raises(NotYet):
        await reader.read_piece("nothing", 0, 5, limit=100)


@pytest.mark.anyio
@pytest.mark.parametrize(("first", "length"), [(8, 5), (20, 5), (20, None)])
async def test_range_beyond_the_end_is_rejected(
    reader: Reader, first: int, length: int | None
) -> None:
    with pytest.raises(Refused, match="truncated"):
        await reader.read_piece("file", first, length, limit=10)


@pytest.mark.anyio
async def test_file_above_the_limit_is_rejected(reader: Reader) -> None:
    with pytest.raises((Refused, AppError), match="too_large"):
        await reader.read("file", limit=9)
    with pytest.raises(Refused, match="too_large"):
        await reader.read_piece("file", 0, 10, limit=9)


@pytest.mark.anyio
async def test_rejected_file_is_transferred_again_only_after_it_changed(
    over_http: HttpReader, served: Provider
) -> None:
    assert await over_http.read("file", limit=10) == b"0123456789"
    over_http.reject("file")
    for _ in range(3):
        with pytest.raises(NotYet):
            await over_http.read("file", limit=10)
    (served.folder / "file").write_bytes(b"corrected")
    assert await over_http.read("file", limit=10) == b"corrected"


@pytest.mark.anyio
@pytest.mark.parametrize("status", [403, 429, 503])
async def test_server_that_asks_for_a_pause_is_left_alone(served: Provider, status: int) -> None:
    async def refuse(_request: web.Request) -> web.Response:
        return web.Response(status=status, headers={"Retry-After": "600"})

    served.faults["file"] = refuse
    clock = Clock(1000.0)
    async with OutboundClient(allow_private=True, retries=0) as outbound:
        reader = HttpReader(lambda: outbound, served.address, clock)
        for _ in range(3):
            with pytest.raises(AppError, match="bad_answer"):
                await reader.read("file", limit=10)
        assert len(served.asked) == 1
        await clock.sleep(601)
        with pytest.raises(AppError, match="bad_answer"):
            await reader.read("other/file", limit=10)
        assert len(served.asked) == 2


@pytest.mark.anyio
async def test_provider_has_few_connections_at_a_time(
    over_http: HttpReader, served: Provider
) -> None:
    """Several models of one provider are fetched at once, each with many small files."""
    open_now = most = 0
    eight = asyncio.Event()

    async def counted(_request: web.Request) -> web.Response:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        if open_now == 8:
            eight.set()
        await eight.wait()
        open_now -= 1
        return web.Response(body=b"0123456789")

    served.faults["file"] = counted
    await asyncio.gather(*(over_http.read("file", limit=10) for _ in range(40)))
    assert most == 8


@pytest.mark.anyio
async def test_reader_tells_the_time_of_the_provider(
    over_http: HttpReader, served: Provider
) -> None:
    assert over_http.time() is None
    served.clock = Clock(float(CHANGED))
    with pytest.raises(NotYet):
        await over_http.read("nothing", limit=100)
    provider_time = over_http.time()
    assert provider_time is not None and provider_time >= CHANGED

    async def copy(_request: web.Request) -> web.Response:
        return web.Response(headers={"Age": "90000"}, body=b"from a cache")

    served.faults["file"] = copy
    await over_http.read("file", limit=100)
    provider_time = over_http.time()
    assert provider_time is not None and provider_time >= CHANGED + 90000


@pytest.mark.anyio
async def test_refused_listing_is_an_error_but_a_refused_file_may_come(
    over_http: HttpReader, served: Provider
) -> None:
    async def refuse(_request: web.Request) -> web.Response:
        return web.Response(status=403)

    served.faults[""] = refuse
    with pytest.raises(AppError, match="bad_answer"):
        await over_http.names("r")
    with pytest.raises(NotYet):
        await over_http.read("file", limit=10)
    # A server that sends listings would not list a file that is missing.
    served.faults.clear()
    assert "file" in await over_http.names("")
    served.faults["file"] = refuse
    with pytest.raises(AppError, match="bad_answer"):
        await over_http.read("file", limit=10)


@pytest.mark.anyio
async def test_folder_listing_has_names_of_files_and_folders(
    reader: Reader, served: Provider
) -> None:
    (served.folder / "r" / "2026-11-17T06:00").mkdir(parents=True)
    (served.folder / "r" / "PT000H00M.grib2").write_bytes(b"1")
    assert sorted(await reader.names("r")) == ["2026-11-17T06:00", "PT000H00M.grib2"]
    with pytest.raises(NotYet):
        await reader.names("nothing")


@pytest.mark.anyio
async def test_folder_listing_with_whole_paths_has_the_same_names(
    over_http: HttpReader, served: Provider
) -> None:
    async def index(_request: web.Request) -> web.Response:
        links = (
            "<a href='../'>Parent</a><a href='?C=M;O=A'>Modified</a><a href='/'>Home</a>"
            "<a href='/r/2026-11-17T06%3A00/'>a run</a><a href='/r/s/deeper'>below</a>"
            f"<a href='{served.address}/r/PT000H00M.grib2'>a step</a>"
        )
        return web.Response(text=links, content_type="text/html")

    served.faults["/r/"] = index
    assert await over_http.names("r") == ["2026-11-17T06:00", "PT000H00M.grib2"]


@pytest.mark.anyio
async def test_folder_listing_survives_unusual_links(
    over_http: HttpReader, served: Provider
) -> None:
    async def index(_request: web.Request) -> web.Response:
        links = (
            "<a href='http://[broken'>x</a><a href='/r//PT000H00M.grib2'>twice</a>"
            "<a href='/r/%FF%FE'>no text</a><a href=''>nothing</a>"
            "<a href='mailto:a@b.example'>x</a>"
            "<A HREF = \"PT001H00M.grib2?download=1#top\">a step</A><a href='.hidden'>x</a>"
        )
        return web.Response(text=links, content_type="text/html")

    served.faults["/r/"] = index
    found = await over_http.names("r")
    assert [name for name in found if name.isascii()] == ["PT000H00M.grib2", "PT001H00M.grib2"]


@pytest.mark.anyio
async def test_folder_listing_may_lack_quotes_and_encode_characters(
    over_http: HttpReader, served: Provider
) -> None:
    async def index(_request: web.Request) -> web.Response:
        links = (
            "<a class=file href=PT000H00M.grib2>x</a><a href=2026-11-17T06:00/>x</a>"
            "<a href='2026-11-17T09&#58;00/'>x</a><a href='./2026-11-17T12:00/'>x</a>"
            "<a href='2026-11-17T15%3A00/'>x</a>"
        )
        return web.Response(text=links, content_type="text/html")

    served.faults["/r/"] = index
    hours = [f"2026-11-17T{hour:02}:00" for hour in (6, 9, 12, 15)]
    assert await over_http.names("r") == ["PT000H00M.grib2", *hours]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("page", "is_index"),
    [
        ("<h1>Maintenance</h1><a href='/'>Home</a> <a href='https://other.example/'>x</a>", False),
        ("", False),
        ("<title>Index of /r/</title>", True),
        ("<a href=../>Parent Directory</a>", True),
        ("<title>Directory listing for /r/</title><ul></ul>", True),
    ],
)
async def test_page_that_is_no_index_is_an_error_and_an_empty_index_is_none(
    page: str, is_index: bool, over_http: HttpReader, served: Provider
) -> None:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(text=page, content_type="text/html")

    served.faults["/r/"] = answer
    if is_index:
        assert await over_http.names("r") == []
    else:
        with pytest.raises(AppError, match="bad_answer"):
            await over_http.names("r")


@pytest.mark.anyio
async def test_redirected_listing_has_the_names_of_the_other_folder(
    over_http: HttpReader, served: Provider
) -> None:
    async def redirect(_request: web.Request) -> web.Response:
        raise web.HTTPFound("/moved/r/")

    async def index(_request: web.Request) -> web.Response:
        link = "<a href='/moved/r/PT000H00M.grib2'>a step</a>"
        return web.Response(text=link, content_type="text/html")

    served.faults["/moved/r/"] = index
    served.faults["/r/"] = redirect
    assert await over_http.names("r") == ["PT000H00M.grib2"]


@pytest.mark.anyio
async def test_range_is_kept_by_a_redirect(over_http: HttpReader, served: Provider) -> None:
    async def redirect(_request: web.Request) -> web.Response:
        raise web.HTTPTemporaryRedirect("/file")

    served.faults["/old"] = redirect
    assert await over_http.read_piece("old", 3, 4, limit=10) == b"3456"


@pytest.mark.anyio
async def test_large_file_may_take_longer_on_a_slow_line(
    over_http: HttpReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds: list[float] = []
    get = OutboundClient.get

    async def watched(self: OutboundClient, url: str, **options: Any) -> Any:
        seconds.append(options["timeout"])
        return await get(self, url, **options)

    monkeypatch.setattr(OutboundClient, "get", watched)
    await over_http.read("file", limit=1_000_000)
    await over_http.read("file", limit=128 * 1024 * 1024)
    assert seconds[0] == 300 and seconds[1] > 2000


@pytest.mark.anyio
async def test_file_that_crashes_a_worker_affects_no_other_job() -> None:
    workers = Workers(1)
    try:
        with pytest.raises(Refused, match="unreadable"):
            await workers.run(os._exit, 1)
        assert await workers.run(os.path.basename, "/a/b") == "b"
    finally:
        workers.close()


@pytest.mark.anyio
async def test_endless_job_is_killed() -> None:
    workers = Workers(1, seconds=1)
    try:
        async with asyncio.timeout(60):
            with pytest.raises(Refused):
                await workers.run(time.sleep, 3600)
            assert await workers.run(os.path.basename, "/a/b") == "b"
            # The time limit counts per job, without the time in the queue.
            await asyncio.gather(*(workers.run(time.sleep, 0.3) for _ in range(5)))
    finally:
        workers.close()


BUSY = """
import asyncio, time
from quartet.wind.ingest.workers import Workers

async def main():
    workers = Workers(1)
    await workers.run(len, "")
    job = asyncio.create_task(workers.run(time.sleep, 3600))
    await asyncio.sleep(0.5)
    workers.close()
    job.cancel()

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_stopping_server_does_not_wait_for_jobs(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(BUSY)
    subprocess.run([sys.executable, tmp_path / "server.py"], timeout=60, check=True)


LESS = """
import resource
from quartet.wind.ingest import workers

less = 3 * 1024**3
resource.setrlimit(resource.RLIMIT_AS, (less, less))
workers._prepare()
assert resource.getrlimit(resource.RLIMIT_AS) == (less, less)
"""


def test_lower_memory_limit_is_kept() -> None:
    subprocess.run([sys.executable, "-c", LESS], timeout=60, check=True)


SERVER = """
import asyncio, os
from quartet.wind.ingest.workers import Workers

async def main():
    # Kept in a variable: workers without a reference would end anyway.
    workers = Workers(1)
    print(await workers.run(os.getpid), flush=True)
    await asyncio.sleep(60)

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_workers_end_when_their_server_is_killed(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    with subprocess.Popen(
        [sys.executable, tmp_path / "server.py"], stdout=subprocess.PIPE
    ) as server:
        assert server.stdout
        worker = os.pidfd_open(int(server.stdout.readline()))
        server.kill()
    ended, _, _ = select.select([worker], [], [], 20)
    os.close(worker)
    assert ended
