"""Files follow a package whose name or folder is changed."""

import asyncio
from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, one, packages, until, until_all
from tests.downloads.archives.make_archives import FILES, seven_zip, tree
from tests.downloads.conftest import logged_in
from tests.downloads.extraction_helpers import below, offer, until_extract, until_package
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


async def change(ada: Client, id: int, **values: object) -> None:
    await act(ada, f"/api/packages/{id}", "PATCH", json=values)


async def moved(ada: Client, id: int) -> None:
    await until_package(ada, id, lambda package: not package["moving"])


async def test_finished_volumes_follow_running_package(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    seven_zip(making, "set.7z", "-v20k")
    parts = {path.name: path.read_bytes() for path in making.iterdir()}
    *first, last = offer(server, making)
    # The last volume is held back until the folder has changed.
    held = server.hold(last.rpartition("/")[2])
    id = await add(ada, *first, last, packageName="Pack", start=True)
    await until(ada, lambda all: [each["status"] for each in all].count("finished") == len(first))
    await change(ada, id, targetDir="films/New")
    held.set()
    package = await until_extract(ada, id, "done")
    assert package["extractError"] is None
    assert tree(tmp_path / "done") == below({**FILES, **parts}, "films/New")
    assert not (tmp_path / "done" / "Pack").exists()


async def test_extracted_files_follow_renamed_package(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    seven_zip(making, "set.zip")
    id = await add(ada, *offer(server, making), packageName="Pack", start=True)
    await until_extract(ada, id, "done")
    await change(ada, id, name="Better name")
    await moved(ada, id)
    assert {path.split("/")[0] for path in tree(tmp_path / "done")} == {"Better name"}
    [package] = await packages(ada)
    assert package["targetDir"] == "Better name"
    assert package["downloads"][0]["file"] == "Better name/set.zip"


async def test_files_of_other_packages_stay(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    ids = [
        await add(ada, server.put(name, name.encode()), packageName=name, targetDir="x", start=True)
        for name in ("one.bin", "two.bin")
    ]
    await until_all(ada, "finished")
    await change(ada, ids[0], targetDir="x/below")
    await moved(ada, ids[0])
    files = {"x/below/one.bin": b"one.bin", "x/two.bin": b"two.bin"}
    assert tree(tmp_path / "done") == files
    await change(ada, ids[0], targetDir="")
    await moved(ada, ids[0])
    assert tree(tmp_path / "done").keys() == {"one.bin", "x/two.bin"}


async def test_interrupted_move_continues_after_restart(server: FileServer, tmp_path: Path) -> None:
    async with logged_in(tmp_path) as ada:
        id = await add(ada, server.put("a.bin", b"a"), packageName="Old", start=True)
        await until_all(ada, "finished")
        query = """UPDATE packages SET target_dir = 'New', moved_from = '["Old"]'"""
        await ada.started.kernel.db.write(lambda tx: tx.conn.exec_driver_sql(query))
    async with logged_in(tmp_path) as ada, asyncio.timeout(20):
        await moved(ada, id)
        assert tree(tmp_path / "done") == {"New/a.bin": b"a"}


async def test_renaming_in_link_grabber_renames_automatic_folder(ada: Client) -> None:
    id = await add(ada, "http://host.invalid/film.part1.rar")
    await change(ada, id, name="My: film")
    assert (await one(ada))["targetDir"] == "My_ film"
    await change(ada, id, targetDir="films")
    await change(ada, id, name="Another")
    assert (await one(ada))["targetDir"] == "films"
