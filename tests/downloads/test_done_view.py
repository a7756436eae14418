"""Listing the done folder."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.downloads.api_calls import add, until_all
from tests.downloads.archives.make_archives import seven_zip, write
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


def too_deep(folder: Path) -> None:
    """Create folders nested so deeply that no path reaches the innermost one."""
    inner = os.open(folder, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=inner)
        outer, inner = inner, os.open("d" * 250, os.O_RDONLY, dir_fd=inner)
        os.close(outer)
    os.close(inner)


async def look(ada: Client, path: str = "") -> dict[str, Any]:
    answer = await ada.get("/api/files", params={"path": path})
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def entries(ada: Client, path: str = "") -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for entry in (await look(ada, path))["entries"]}


async def test_empty_folder_has_no_entries(ada: Client, tmp_path: Path) -> None:
    assert await look(ada) == {
        "path": "",
        "root": str(tmp_path / "done"),
        "entries": [],
        "extracting": None,
        "error": None,
    }
    assert (await ada.get("/api/files/folders")).json() == []


async def test_folders_come_first_and_names_are_sorted_case_insensitively(
    ada: Client, done: Path
) -> None:
    write(done, {"b.txt": b"12", "A.mkv": b"123", "z/deep/er/x.bin": b"12345", "z/y.bin": b"1"})
    seven_zip(done / "z", "set.zip")
    shown = await look(ada)
    assert [entry["name"] for entry in shown["entries"]] == ["z", "A.mkv", "b.txt"]
    folder, video, text = shown["entries"]
    size = 6 + (done / "z/set.zip").stat().st_size
    assert (folder["dir"], folder["size"], folder["kind"], folder["archives"]) == (
        (True, size, None, 1)
    )
    assert (video["dir"], video["size"], video["kind"], video["path"]) == (
        (False, 3, "video", "A.mkv")
    )
    assert text["kind"] == "other"
    assert text["modified"] == (done / "b.txt").stat().st_mtime_ns // 1_000_000
    inside = await entries(ada, "z")
    assert inside["set.zip"]["kind"] == "archive"
    assert inside["deep"]["path"] == "z/deep"


async def test_folder_size_follows_nested_changes(ada: Client, done: Path) -> None:
    write(done, {"z/deep/er/x.bin": b"12345"})
    assert (await entries(ada))["z"]["size"] == 5
    write(done, {"z/deep/er/y.bin": b"123"})
    assert (await entries(ada))["z"]["size"] == 8


async def test_links_and_leftovers_are_neither_shown_nor_followed(
    ada: Client, done: Path, tmp_path: Path
) -> None:
    """Symbolic links in the done folder are not followed."""
    write(tmp_path / "outside", {"secret.txt": b"secret"})
    write(done, {"a.txt": b"1", ".quartet-unpack-1/x.txt": b"1"})
    (done / "link").symlink_to(tmp_path / "outside")
    (done / "file").symlink_to(tmp_path / "outside/secret.txt")
    assert list(await entries(ada)) == ["a.txt"]
    assert (await ada.get("/api/files/folders")).json() == []
    assert await ada.code("GET", "/api/files?path=link") == (400, "path_outside_root")
    for path in ("link", "file", "link/secret.txt"):
        for act in ("delete", "delete-archives", "extract"):
            answer = await ada.code("POST", f"/api/files/{act}", json={"paths": ["a.txt", path]})
            assert answer == (400, "path_outside_root")
        answer = await ada.code("POST", "/api/files/move", json={"paths": ["a.txt"], "to": "link"})
        assert answer == (400, "path_outside_root")
    assert (done / "a.txt").exists()
    assert (tmp_path / "outside/secret.txt").read_bytes() == b"secret"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        *((bad, 400) for bad in ("../x", "/etc", "a\\b", "C:/x", "a/../../b", "x\0y", "n" * 300)),
        *((bad, 404) for bad in ("no", "no/no", ".quartet-unpack-1")),
        ("file.txt", 409),
    ],
)
async def test_bad_paths_are_rejected(ada: Client, done: Path, path: str, status: int) -> None:
    write(done, {"file.txt": b"", ".quartet-unpack-1/x.txt": b"1"})
    answer = await ada.get("/api/files", params={"path": path})
    assert answer.status_code == status, answer.text


async def test_all_folders_are_listed(ada: Client, done: Path) -> None:
    write(done, {"b/c/x": b"", "a/x": b"", "B/x": b""})
    assert (await ada.get("/api/files/folders")).json() == ["B", "a", "b", "b/c"]


async def test_unreadable_folder_is_skipped(ada: Client, done: Path) -> None:
    seven_zip(done, "set.zip")
    write(done, {"a/z/set.zip": (done / "set.zip").read_bytes()})
    too_deep(done / "a")
    shown = (await ada.get("/api/files/folders")).json()
    assert (shown[0], shown[-1]) == ("a", "a/z")
    answer = await ada.post("/api/files/delete-archives", json={"paths": ["a"]})
    assert answer.json() == {"deleted": 1}


async def test_search_finds_names_with_all_words(ada: Client, done: Path) -> None:
    write(done, {"Sea/Summer Tour.mkv": b"1", "Sea/winter.mkv": b"1", "summer/tour-2.txt": b"1"})

    async def found(query: str) -> list[tuple[str, bool]]:
        answer = await ada.get("/api/files/search", params={"q": query})
        return [(one["path"], one["dir"]) for one in answer.json()]

    assert await found("tour SUM") == [("Sea/Summer Tour.mkv", False)]
    assert await found("summer") == [("summer", True), ("Sea/Summer Tour.mkv", False)]
    assert await found(" ") == await found("autumn") == []


async def test_files_and_folders_show_their_package(ada: Client, server: FileServer) -> None:
    link = server.put("film.mkv", b"film")
    id = await add(ada, link, packageName="My film", start=True)
    await until_all(ada, "finished")
    package = {"id": id, "name": "My film", "extract": None, "extractError": None}
    assert (await entries(ada))["My film"]["package"] == package
    assert (await entries(ada, "My film"))["film.mkv"]["package"] == package


async def test_session_is_required(ada: Client) -> None:
    ada.cookies.clear()
    assert await ada.code("GET", "/api/files") == (401, "signed_out")


async def test_file_can_be_saved_on_the_device(ada: Client, done: Path) -> None:
    (done / "sub").mkdir()
    (done / "sub" / "schön; x.bin").write_bytes(b"content" * 1000)
    answer = await ada.get("/api/files/content", params={"path": "sub/schön; x.bin"})
    assert answer.content == b"content" * 1000
    expected = "attachment; filename*=UTF-8''sch%C3%B6n%3B%20x.bin"
    assert answer.headers["content-disposition"] == expected
    for path, code in (("sub", 409), ("none", 404), ("../x", 400), ("/etc/passwd", 400)):
        answer = await ada.get("/api/files/content", params={"path": path})
        assert answer.status_code == code
