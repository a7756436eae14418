"""Files of a provider over HTTP and from a folder, and the processes that unpack them."""

import os
import select
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.outbound import Outbound
from quartet.wind.ingest.readers import FolderReader, HttpReader
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Reader
from tests.wind.upstream import Clock, Provider

CHANGED = 1_778_544_000


@pytest.fixture
async def over_http(served: Provider) -> AsyncIterator[tuple[HttpReader, Clock]]:
    path = served.folder / "file"
    path.write_bytes(b"0123456789")
    os.utime(path, (CHANGED, CHANGED))
    clock = Clock(CHANGED + 3600)
    async with Outbound(allow_private=True, retries=0) as outbound:
        yield HttpReader(lambda: outbound, served.address, clock, settle=120), clock


@pytest.fixture(params=["http", "folder"])
def reader(
    request: pytest.FixtureRequest, over_http: tuple[HttpReader, Clock], served: Provider
) -> Reader:
    return over_http[0] if request.param == "http" else FolderReader(served.folder)


@pytest.mark.anyio
async def test_whole_files_and_pieces(reader: Reader) -> None:
    assert await reader.read("file", limit=10) == b"0123456789"
    assert await reader.read_piece("file", 3, 4, limit=10) == b"3456"
    assert await reader.read_piece("file", 7, None, limit=10) == b"789"


@pytest.mark.anyio
async def test_what_is_not_there_is_not_there_yet(reader: Reader) -> None:
    with pytest.raises(NotYet):
        await reader.read("nothing", limit=100)
    with pytest.raises(NotYet):
        await reader.read_piece("nothing", 0, 5, limit=100)


@pytest.mark.anyio
@pytest.mark.parametrize(("first", "length"), [(8, 5), (20, 5), (20, None)])
async def test_a_piece_beyond_the_end_is_refused(
    reader: Reader, first: int, length: int | None
) -> None:
    with pytest.raises(Refused, match="truncated"):
        await reader.read_piece("file", first, length, limit=10)


@pytest.mark.anyio
async def test_more_than_the_limit_is_refused(reader: Reader) -> None:
    with pytest.raises((Refused, AppError), match="too_large"):
        await reader.read("file", limit=9)
    with pytest.raises(Refused, match="too_large"):
        await reader.read_piece("file", 0, 10, limit=9)


@pytest.mark.anyio
async def test_a_file_just_changed_may_be_half_written(
    over_http: tuple[HttpReader, Clock],
) -> None:
    reader, clock = over_http
    clock.now = CHANGED + 119
    with pytest.raises(NotYet):
        await reader.read("file", limit=10)
    clock.now = CHANGED + 121
    assert await reader.read("file", limit=10)


@pytest.mark.anyio
async def test_a_file_that_breaks_a_worker_breaks_nothing_else() -> None:
    workers = Workers(1)
    try:
        with pytest.raises(Refused, match="unreadable"):
            await workers.run(os._exit, 1)
        assert await workers.run(os.path.basename, "/a/b") == "b"
    finally:
        workers.close()


SERVER = """
import asyncio, os
from quartet.wind.ingest.workers import Workers

async def main():
    print(await Workers(1).run(os.getpid), flush=True)
    await asyncio.sleep(60)

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_workers_end_with_a_server_that_is_killed(tmp_path: Path) -> None:
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
