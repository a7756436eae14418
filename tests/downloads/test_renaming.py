"""Downloads get the name that the user chooses, at any time."""

from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, packages, until, until_all
from tests.downloads.archives.make_archives import tree, write
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


async def rename(ada: Client, id: int, name: str) -> None:
    await act(ada, f"/api/downloads/{id}", "PATCH", json={"name": name})


async def test_renamed_downloads_keep_their_name(
    ada: Client, server: FileServer, done: Path
) -> None:
    """One is renamed in the link grabber, one before its file arrives."""
    package = await add(ada, server.put("before.bin", b"1"), packageName="Pack")
    [first] = await until(ada, lambda all: all[0]["online"] == "online")
    await rename(ada, first["id"], " First file.bin ")
    # The server is asked again and names the file as before.
    await act(ada, f"/api/packages/{package}/check")
    await until(ada, lambda all: all[0]["online"] == "online")
    await act(ada, f"/api/packages/{package}/start")
    link, held = server.put("running.bin", b"2"), server.hold("running.bin")
    await add(ada, link, packageName="Pack", start=True)
    shown = await until(ada, lambda all: all[-1]["status"] == "downloading")
    await rename(ada, shown[-1]["id"], "Second.bin")
    held.set()
    await until_all(ada, "finished")
    assert tree(done) == {"Pack/First file.bin": b"1", "Pack/Second.bin": b"2"}
    assert {each["name"] for each in await downloads(ada)} == {"First file.bin", "Second.bin"}


async def test_finished_file_and_its_folder_are_renamed(
    ada: Client, server: FileServer, done: Path
) -> None:
    await add(ada, server.put("a.bin", b"a"), packageName="Pack", start=True)
    [download] = await until_all(ada, "finished")
    answer = await ada.code("PATCH", f"/api/downloads/{download['id']}", json={"name": "b.bin"})
    assert answer == (409, "download_finished")
    body = {"path": "Pack/a.bin", "name": "b.bin"}
    assert (await ada.post("/api/files/rename", json=body)).json() == {"path": "Pack/b.bin"}
    body = {"path": "Pack", "name": "New"}
    assert (await ada.post("/api/files/rename", json=body)).json() == {"path": "New"}
    assert tree(done) == {"New/b.bin": b"a"}
    [package] = await packages(ada)
    [shown] = package["downloads"]
    assert (package["targetDir"], shown["name"]) == ("New", "b.bin")
    assert shown["file"] == "New/b.bin"


async def test_unusable_names_are_refused(ada: Client, server: FileServer, done: Path) -> None:
    await add(ada, server.put("a.bin", b"a"), packageName="Pack")
    [download] = await downloads(ada)
    write(done, {"x.txt": b"1", "y.txt": b"2"})
    for name in ("", " ", "a/b", "..", "CON"):
        answer = await ada.code("PATCH", f"/api/downloads/{download['id']}", json={"name": name})
        assert answer == (400, "name_invalid")
        body = {"path": "x.txt", "name": name}
        assert await ada.code("POST", "/api/files/rename", json=body) == (400, "name_invalid")
    taken = {"path": "x.txt", "name": "y.txt"}
    assert await ada.code("POST", "/api/files/rename", json=taken) == (409, "already_exists")
    assert tree(done) == {"x.txt": b"1", "y.txt": b"2"}
