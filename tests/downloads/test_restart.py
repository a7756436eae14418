"""The next process continues the work of one that ended."""

import random
from pathlib import Path

import pytest

from quartet.downloads.queue.finish.fsync import this_boot
from tests.client import Client
from tests.downloads.api_calls import act, add, mark, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

MIB = 1024 * 1024


def parts(data: Path) -> list[str]:
    return sorted(path.name for path in (data / "tmp").glob("*"))


def part_of(data: Path, id: int) -> Path:
    """Return the part file, in a folder that is created with the first download."""
    part = data / "tmp" / f"{id}.part"
    part.parent.mkdir(exist_ok=True)
    return part


async def about_to_move(client: Client, server: FileServer) -> int:
    """Create the database state right before a move, with a reserved path."""
    server.open.clear()
    server.chunks_before_waiting = 0
    await add(client, server.put("x.bin", b"x" * 1000), packageName="P", start=True)
    [download] = await until_all(client, "downloading")
    announced = f"file = 'P/x.bin', size = 1000, unsynced = '{this_boot()}'"
    await client.started.kernel.db.write(
        lambda tx: tx.conn.exec_driver_sql(f"UPDATE downloads SET {announced}")
    )
    id: int = download["id"]
    return id


async def test_download_continues_after_restart(server: FileServer, tmp_path: Path) -> None:
    data = random.Random(1).randbytes(3 * MIB)
    link = server.put("big.bin", data)
    server.open.clear()
    async with logged_in(tmp_path) as client:
        await add(client, link, packageName="P", start=True)
        await until_all(client, "downloading")
        await server.waiting.wait()
    server.open.set()
    async with logged_in(tmp_path) as client:
        await until_all(client, "finished")
    assert (tmp_path / "done" / "P" / "big.bin").read_bytes() == data
    assert parts(tmp_path) == []


@pytest.mark.parametrize("option", ["renamed", "copied", "half copied"])
async def test_file_moved_before_the_end_is_finished(
    server: FileServer, tmp_path: Path, option: str
) -> None:
    """The process ends between the move and the update of the database."""
    async with logged_in(tmp_path) as client:
        id = await about_to_move(client, server)
    file = tmp_path / "done" / "P" / "x.bin"
    file.parent.mkdir(parents=True)
    part = part_of(tmp_path, id)
    # A rename removes the part file; a copy to another disk leaves it, and maybe a partial copy.
    if option == "renamed":
        part.unlink(missing_ok=True)
        file.write_bytes(b"x" * 1000)
    elif option == "copied":
        part.write_bytes(b"x" * 1000)
        file.write_bytes(b"x" * 1000)
    else:
        part.write_bytes(b"x" * 1000)
        (file.parent / ".quartet-0123456789abcdef").write_bytes(b"x" * 500)
    server.requests.clear()
    server.open.set()
    async with logged_in(tmp_path) as client:
        [download] = await until_all(client, "finished")
    assert download["file"] == "P/x.bin"
    assert bool(server.requests) == (option == "half copied")
    assert [path.name for path in file.parent.iterdir()] == ["x.bin"]
    assert parts(tmp_path) == []


async def test_other_file_at_reserved_path_is_not_used(server: FileServer, tmp_path: Path) -> None:
    """Two files have the same name and size, and the process ends when one was moved."""
    async with logged_in(tmp_path) as client:
        id = await about_to_move(client, server)
    file = tmp_path / "done" / "P" / "x.bin"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"y" * 1000)
    part = part_of(tmp_path, id)
    part.write_bytes(b"x" * 1000)
    server.open.set()
    async with logged_in(tmp_path) as client:
        [download] = await until_all(client, "finished")
    assert download["file"] == "P/x (1).bin"
    assert file.read_bytes() == b"y" * 1000
    assert file.with_name("x (1).bin").read_bytes() == b"x" * 1000


async def test_progress_is_known_after_restart(server: FileServer, tmp_path: Path) -> None:
    data = random.Random(2).randbytes(3 * MIB)
    link = server.put("big.bin", data)
    server.open.clear()
    async with logged_in(tmp_path) as client:
        await client.put("/api/settings", json={"connectionsPerFile": 1})
        await add(client, link, packageName="P", start=True)
        await until(client, lambda all: all[0]["bytesDone"] > 0)
        await act(client, "/api/downloads/pause-all")
        [paused] = await until_all(client, "paused")
        # As after a kill: the state was never written to the database.
        await mark(client, "bytes_done = 0", "id > 0")
    async with logged_in(tmp_path) as client:
        [shown] = await until(client, lambda all: all[0]["bytesDone"] > 0)
        assert shown["status"] == "paused"
        # The transfer may have written another block before it stopped.
        assert paused["bytesDone"] <= shown["bytesDone"] < len(data)
