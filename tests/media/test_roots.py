"""The configured folders."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.settings import load
from quartet.media.app import SERVICE
from quartet.media.roots.path_map import PathMap
from quartet.media.settings import MediaSettings
from tests.client import Client, client_of

pytestmark = pytest.mark.anyio


async def add(client: Client, path: Path, kind: str = "folder", **more: Any) -> dict[str, Any]:
    path.mkdir(exist_ok=True)
    answer = await client.post("/api/folders", json={"path": str(path), "kind": kind, **more})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def defaults(client: Client) -> list[str]:
    folders = (await client.get("/api/folders")).json()
    return [folder["name"] for folder in folders if folder["default"]]


async def test_first_library_of_a_kind_is_default(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path / "config") as client:
        folder = await add(client, tmp_path / "downloads")
        assert (folder["name"], folder["default"]) == ("downloads", False)
        first = await add(client, tmp_path / "films", "movies")
        second = await add(client, tmp_path / "more films", "movies", name="More")
        await add(client, tmp_path / "shows", "series")
        assert await defaults(client) == ["films", "shows"]

        await client.patch(f"/api/folders/{second['id']}", json={"default": True})
        assert await defaults(client) == ["More", "shows"]
        await client.patch(f"/api/folders/{second['id']}", json={"kind": "series", "name": "TV"})
        assert await defaults(client) == ["films", "shows"]
        assert (await client.delete(f"/api/folders/{first['id']}")).status_code == 204
        assert await defaults(client) == ["shows"]
        await client.patch(f"/api/folders/{folder['id']}", json={"kind": "movies"})
        assert await defaults(client) == ["downloads", "shows"]
        assert await client.code("PATCH", "/api/folders/999", json={}) == (404, "not_found")
        assert await client.code("DELETE", f"/api/folders/{2**70}") == (404, "not_found")


async def test_forbidden_folders(tmp_path: Path) -> None:
    config = tmp_path / "home" / "config"
    (tmp_path / "link").symlink_to("/etc")
    (tmp_path / "file").touch()
    async with client_of(SERVICE, config) as client:
        await add(client, tmp_path / "films", "movies")
        for path, code in {
            "/": "system_folder",
            "/proc/self": "system_folder",
            "/etc": "system_folder",
            "//dev/shm": "system_folder",
            str(tmp_path / "link"): "system_folder",
            str(config): "config_folder",
            str(config / "keys"): "config_folder",
            str(tmp_path / "home"): "config_folder",
            str(tmp_path / "none"): "folder_missing",
            str(tmp_path / "file"): "folder_missing",
            "films": "path_invalid",
            f"{tmp_path}/x/../films": "path_invalid",
            f"{tmp_path}/a\0b": "path_invalid",
            f"{tmp_path}/films/": None,
        }.items():
            answer = await client.post("/api/folders", json={"path": path, "kind": "series"})
            assert answer.json().get("code") == code, path
        known = {"path": str(tmp_path / "films"), "kind": "movies"}
        assert await client.code("POST", "/api/folders", json=known) == (409, "folder_known")
        plain = {"path": str(tmp_path / "films")}
        assert await client.code("POST", "/api/folders", json=plain) == (409, "folder_known")


async def test_app_roots_apply_only_at_first_start(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    environ = {"APP_ROOTS": f"{tmp_path}/a, {tmp_path}/none ,/etc,{tmp_path}/b,{tmp_path}/a"}
    roots = load(MediaSettings, "APP_", environ=environ).values.roots
    config = tmp_path / "config"
    async with client_of(SERVICE, config, roots=roots) as client:
        folders = (await client.get("/api/folders")).json()
        assert [folder["path"] for folder in folders] == [f"{tmp_path}/a", f"{tmp_path}/b"]
        for folder in folders:
            await client.delete(f"/api/folders/{folder['id']}")
    async with client_of(SERVICE, config, roots=roots) as client:
        assert (await client.get("/api/folders")).json() == []


async def test_old_settings_are_imported(tmp_path: Path) -> None:
    for name in ("films", "downloads", "config"):
        (tmp_path / name).mkdir()
    films, downloads = str(tmp_path / "films"), str(tmp_path / "downloads")
    old = {"allowedRoots": [downloads, films, "/gone"], "defaultTarget": films, "language": "de"}
    (tmp_path / "config" / "settings.json").write_text(json.dumps(old))
    async with client_of(SERVICE, tmp_path / "config") as client:
        folders = (await client.get("/api/folders")).json()
    assert [(folder["path"], folder["kind"], folder["default"]) for folder in folders] == [
        (films, "movies", True),
        (films, "series", True),
        (downloads, "folder", False),
    ]


async def test_invalid_old_settings_do_not_prevent_start(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("{")
    async with client_of(SERVICE, tmp_path) as client:
        assert (await client.get("/api/folders")).json() == []


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("/data/a.mkv", "/mnt/media/a.mkv"),
        ("/data", "/mnt/media"),
        ("/data/", "/mnt/media"),
        ("/data/tv/x", "/mnt/shows/x"),
        ("/data/tvs/x", "/mnt/media/tvs/x"),
        ("/database/x", "/database/x"),
        ("/odd/x", "/with:colon/x"),
        ("relative", "relative"),
    ],
)
def test_path_map(theirs: str, ours: str) -> None:
    entries = ["/data:/mnt/media/", "/data/tv/:/mnt/shows", "bad", ":", "a:b", "/odd:/with:colon"]
    assert PathMap.parse(entries).map_path(theirs) == ours


def test_invalid_path_map_entry_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    PathMap.parse(["/data:/media", "nonsense"])
    # Media servers have their own maps, so the message names no setting.
    assert caplog.messages == ["path map entry ignored, not <path>:<path>: 'nonsense'"]


async def test_browse_folder(tmp_path: Path) -> None:
    folder = tmp_path / "films"
    async with client_of(SERVICE, tmp_path / "config") as client:
        await add(client, folder, "movies")
        for name in ("b.mkv", "A.srt", "note.txt", ".quartet-1", "b.mkv.app-bak-17"):
            (folder / name).write_bytes(b"12345")
        (folder / "sub").mkdir()
        (folder / "link").symlink_to("/etc")
        raw = os.fsdecode(b"caf\xe9.mkv")
        (folder / raw).touch()
        top = (await client.get("/api/browse")).json()
        assert [entry["path"] for entry in top["entries"]] == [str(folder)]
        page = (await client.get("/api/browse", params={"path": str(folder)})).json()
        assert [(one["name"], one["kind"], one["size"]) for one in page["entries"]] == [
            ("sub", "dir", 0),
            ("A.srt", "subtitle", 5),
            ("b.mkv", "video", 5),
            ("caf\ufffdE9.mkv", "video", 0),
            ("note.txt", "other", 5),
        ]
        assert page["parent"] == "" and page["cursor"] is None


async def test_browse_in_pages(tmp_path: Path) -> None:
    folder = tmp_path / "films"
    async with client_of(SERVICE, tmp_path / "config") as client:
        await add(client, folder)
        names = sorted(f"{number}.mkv" for number in range(25))
        for name in names:
            (folder / name).touch()
        seen: list[str] = []
        params = {"path": str(folder), "limit": "10"}
        while True:
            page = (await client.get("/api/browse", params=params)).json()
            seen += [entry["name"] for entry in page["entries"]]
            if page["cursor"] is None:
                break
            params["cursor"] = page["cursor"]
        assert seen == names
        params["cursor"] = "???"
        assert await client.code("GET", "/api/browse", params=params) == (400, "cursor_invalid")


# Nothing outside is shown or revealed.
async def test_browse_outside_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "films"
    async with client_of(SERVICE, tmp_path / "config") as client:
        await add(client, folder)
        (folder / "link").symlink_to("/etc")
        for path in ("/etc", "/nowhere", str(tmp_path), f"{folder}/../config", f"{folder}x"):
            got = await client.code("GET", "/api/browse", params={"path": path})
            assert got == (403, "outside_folders"), path
        for path in (f"{folder}/link", f"{folder}/link/ssl"):
            got = await client.code("GET", "/api/browse", params={"path": path})
            assert got == (400, "path_outside_root")
