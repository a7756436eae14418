"""Hostile case 12: what a process that has ended left is taken up at the next start."""

import random
from pathlib import Path

import pytest

from quartet.downloads.queue.syncing import this_boot
from tests.client import Client
from tests.downloads.conftest import logged_in
from tests.downloads.server import FileServer
from tests.downloads.talk import add, until_all

pytestmark = pytest.mark.anyio

MIB = 1024 * 1024


def parts(data: Path) -> list[str]:
    return sorted(path.name for path in (data / "tmp").glob("*"))


def part_of(data: Path, id: int) -> Path:
    """In a folder that is only made when the first byte comes."""
    part = data / "tmp" / f"{id}.part"
    part.parent.mkdir(exist_ok=True)
    return part


async def about_to_move(client: Client, server: FileServer) -> int:
    """The list says already where the file goes, as it does right before the move."""
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


async def test_it_goes_on_after_a_restart(server: FileServer, tmp_path: Path) -> None:
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


@pytest.mark.parametrize("way", ["renamed", "copied", "half copied"])
async def test_a_file_that_was_moved_just_before_the_end_is_finished(
    server: FileServer, tmp_path: Path, way: str
) -> None:
    """Hostile case 12: the process ends between the move and the word of it."""
    async with logged_in(tmp_path) as client:
        id = await about_to_move(client, server)
    file = tmp_path / "done" / "P" / "x.bin"
    file.parent.mkdir(parents=True)
    part = part_of(tmp_path, id)
    # A rename has taken the part away; a copy to another disk leaves it, and its own remains.
    if way == "renamed":
        part.unlink(missing_ok=True)
        file.write_bytes(b"x" * 1000)
    elif way == "copied":
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
    assert bool(server.requests) == (way == "half copied")
    assert [path.name for path in file.parent.iterdir()] == ["x.bin"]
    assert parts(tmp_path) == []


async def test_what_another_has_put_in_its_place_is_not_its_own(
    server: FileServer, tmp_path: Path
) -> None:
    """Two files with one name and one size, and the process ends when one has been moved."""
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
