"""Deleting and moving files, and creating folders, in the done folder."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, packages, until_all
from tests.downloads.archives.make_archives import seven_zip, tree, write
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


async def code(ada: Client, what: str, **body: Any) -> tuple[int, str]:
    return await ada.code("POST", f"/api/files/{what}", json=body)


async def test_files_and_folders_are_deleted(ada: Client, done: Path) -> None:
    write(done, {"a/x": b"1", "a/b/y": b"2", "c.txt": b"3", "d.txt": b"4"})
    async with ada.started.kernel.events.subscribe() as events:
        await act(ada, "/api/files/delete", json={"paths": ["a", "a/b", "c.txt", "c.txt"]})
        frame = await anext(events)
    assert (frame.type, frame.data) == ("changed", b'{"type":"changed","topic":"files"}')
    assert tree(done) == {"d.txt": b"4"}


@pytest.mark.parametrize("bad", ["", ".", "../x", "/etc/passwd", "missing", "a/../../x", "a\0b"])
@pytest.mark.parametrize("what", ["delete", "delete-archives", "extract", "move"])
async def test_one_bad_path_prevents_all_changes(
    ada: Client, done: Path, what: str, bad: str
) -> None:
    files = {"set/x.txt": b"1", "keep.txt": b"2"}
    write(done, files)
    extra = {"to": "set"} if what == "move" else {}
    answer = await code(ada, what, paths=["keep.txt", bad], **extra)
    assert answer[0] in (400, 404), answer
    assert tree(done) == files


@pytest.mark.parametrize("what", ["delete", "delete-archives", "extract", "move", "mkdir"])
@pytest.mark.parametrize(
    "body", [{}, {"paths": []}, {"paths": "x"}, {"paths": [1]}, {"name": 5}, {"paths": [None]}]
)
async def test_bad_request_bodies_are_rejected(
    ada: Client, what: str, body: dict[str, Any]
) -> None:
    assert await code(ada, what, **body) == (400, "invalid_request")


async def test_only_archives_of_folder_are_deleted(ada: Client, done: Path) -> None:
    write(done, {"a/film.mkv": b"1", "a/b/manual.1.gz": b"2"})
    seven_zip(done / "a", "one.zip")
    seven_zip(done / "a/b", "two.7z", "-v20k")
    answer = await ada.post("/api/files/delete-archives", json={"paths": ["a"]})
    assert answer.json() == {"deleted": 1 + 5}
    assert tree(done) == {"a/film.mkv": b"1", "a/b/manual.1.gz": b"2"}


async def test_deleting_a_volume_deletes_the_whole_archive(ada: Client, done: Path) -> None:
    write(done, {"a/other.zip": b"x", "a/x.txt": b"1"})
    seven_zip(done / "a", "two.7z", "-v20k")
    answer = await ada.post("/api/files/delete-archives", json={"paths": ["a/two.7z.002"]})
    assert answer.json() == {"deleted": 5}
    assert tree(done) == {"a/other.zip": b"x", "a/x.txt": b"1"}
    assert await code(ada, "delete-archives", paths=["a/x.txt"]) == (422, "not_an_archive")


async def test_moving_never_replaces_files(ada: Client, done: Path) -> None:
    write(done, {"x.txt": b"1", "a/x.txt": b"2", "a/x (1).txt": b"3", "b/y/z": b"4", "a/b/k": b"5"})
    await act(ada, "/api/files/move", json={"paths": ["x.txt", "b"], "to": "a"})
    assert tree(done) == {
        "a/x.txt": b"2",
        "a/x (1).txt": b"3",
        "a/x (2).txt": b"1",
        "a/b/k": b"5",
        "a/b (1)/y/z": b"4",
    }
    await act(ada, "/api/files/move", json={"paths": ["a/x.txt", "a/b"], "to": ""})
    assert tree(done).keys() == {"x.txt", "a/x (1).txt", "a/x (2).txt", "b/k", "a/b (1)/y/z"}


async def test_moving_to_same_folder_changes_nothing(ada: Client, done: Path) -> None:
    write(done, {"a/x.txt": b"1"})
    await act(ada, "/api/files/move", json={"paths": ["a/x.txt"], "to": "a"})
    assert tree(done) == {"a/x.txt": b"1"}


async def test_folder_cannot_be_moved_into_itself(ada: Client, done: Path) -> None:
    files = {"a/b/x.txt": b"1", "ab/y.txt": b"2", "f.txt": b"3"}
    write(done, files)
    for to in ("a", "a/b"):
        assert await code(ada, "move", paths=["f.txt", "a"], to=to) == (400, "move_into_itself")
    assert await code(ada, "move", paths=["a"], to="f.txt") == (409, "not_a_folder")
    assert await code(ada, "move", paths=["a"], to="nowhere") == (404, "server_files_notFoundAt")
    assert tree(done) == files
    await act(ada, "/api/files/move", json={"paths": ["a"], "to": "ab"})
    assert tree(done).keys() == {"ab/a/b/x.txt", "ab/y.txt", "f.txt"}


async def test_folders_are_created(ada: Client, done: Path) -> None:
    async def made(**body: str) -> Any:
        return (await ada.post("/api/files/mkdir", json=body)).json()

    assert await made(name="Filme") == {"path": "Filme"}
    assert await made(name="Ünï", path="Filme") == {"path": "Filme/Ünï"}
    assert (done / "Filme/Ünï").is_dir()
    assert await code(ada, "mkdir", name="Filme") == (409, "already_exists")
    assert await code(ada, "mkdir", name="x", path="missing") == (404, "server_files_notFoundAt")


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", "a/b", "a\\b", "a\0", "CON", "x" * 256, ".quartet-x", "a:b", "a\nb"],
)
async def test_invalid_folder_names_are_rejected(ada: Client, done: Path, name: str) -> None:
    assert await code(ada, "mkdir", name=name) == (400, "name_invalid")
    assert list(done.iterdir()) == []


async def test_package_follows_its_moved_folder(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    links = [server.put("one.bin", b"1"), server.put("two.bin", b"2")]
    await add(ada, *links, packageName="Pack", start=True)
    await until_all(ada, "finished")
    done = tmp_path / "done"
    (done / "shelf").mkdir()
    (done / "Packet").mkdir()
    await act(ada, "/api/files/move", json={"paths": ["Pack"], "to": "shelf"})
    await act(ada, "/api/files/delete", json={"paths": ["shelf/Pack/two.bin"]})
    [package] = await packages(ada)
    assert package["targetDir"] == "shelf/Pack"
    assert [each["file"] for each in await downloads(ada)] == ["shelf/Pack/one.bin", None]
    # The right files are deleted together with the package.
    write(done, {"Pack/one.bin": b"another", "shelf/Pack/two.bin": b"another"})
    await act(ada, f"/api/packages/{package['id']}?files=true", "DELETE")
    with anyio.fail_after(60):
        while (done / "shelf/Pack/one.bin").exists():
            await ada.get("/api/files")
    assert tree(done) == {"Pack/one.bin": b"another", "shelf/Pack/two.bin": b"another"}
