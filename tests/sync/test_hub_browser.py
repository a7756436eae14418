"""Files of the hub: listed, found, sent and uploaded."""

import io
import os
import time
import zipfile
from pathlib import Path

import pytest

from tests.sync.running_app import RunningApp

pytestmark = pytest.mark.anyio

STAMP, AT = "20261115-004805", 1794703685


async def hub_folder(app: RunningApp, data: Path) -> tuple[str, Path]:
    folder = await app.folder("Photos")
    place = data / "folders" / folder["engineFolderId"]
    (place / "Trip/day 1").mkdir(parents=True)
    (place / ".stversions").mkdir()
    (place / "Trip/day 1/Ärger.txt").write_text("rain")
    (place / "Trip/map.png").write_bytes(b"\x89PNG")
    (place / "a.svg").write_text("<svg onload='x'/>")
    (place / ".syncthing.b.txt.tmp").write_text("half")
    (place / "link").symlink_to("/etc")
    (place / f".stversions/a~{STAMP}.svg").write_text("old")
    return f"/api/folders/{folder['id']}/files", place


async def names(app: RunningApp, api: str, **query: str) -> list[str]:
    return [each["path"] for each in (await app.get(api, **query))["entries"]]


async def test_folders_are_listed_and_files_found(app: RunningApp, data: Path) -> None:
    api, place = await hub_folder(app, data)
    assert await names(app, api) == ["Trip", "a.svg"]
    assert await names(app, api, path="Trip") == ["Trip/day 1", "Trip/map.png"]
    assert await names(app, api, search="ÄRGER trip") == ["Trip/day 1/Ärger.txt"]
    assert await names(app, api, search="trip", path="Trip") == []
    for number in (10, 9, 100):
        (place / f"Trip/day 1/{number}.jpg").touch()
    pictures = [f"Trip/day 1/{number}.jpg" for number in (9, 10, 100)]
    assert (await names(app, api, path="Trip/day 1"))[:3] == pictures
    assert await names(app, api, search=".jpg") == pictures
    for path, code in (("link", "path_outside_root"), ("no", "not_found")):
        assert (await app.refused("GET", f"{api}?path={path}"))[1] == code
    assert await app.refused("GET", f"{api}?path=../x") == (400, "path_outside_root")


async def test_files_versions_and_images_are_sent(app: RunningApp, data: Path) -> None:
    api, _ = await hub_folder(app, data)

    async def content(**query: object) -> tuple[bytes, str, str]:
        answer = await app.admin.get(f"{api}/content", params=query)  # type: ignore[arg-type]
        assert answer.status_code == 200, answer.text
        headers = answer.headers
        return answer.content, headers["content-type"], headers["content-disposition"]

    binary = "application/octet-stream"
    name = "attachment; filename*=UTF-8''%C3%84rger.txt"
    assert await content(path="Trip/day 1/Ärger.txt") == (b"rain", binary, name)
    assert await content(path="Trip/map.png", inline=True) == (b"\x89PNG", "image/png", "inline")
    # A picture that can contain scripts is never shown.
    assert (await content(path="a.svg", inline=True))[1:] == (
        binary,
        "attachment; filename*=UTF-8''a.svg",
    )
    assert (await content(path="a.svg", at=AT))[0] == b"old"
    for query in ("path=link/passwd", "path=../x", "path=.stversions/x", "path=Trip", "path=no"):
        answer = await app.admin.get(f"{api}/content?{query}")
        assert 400 <= answer.status_code < 500, query
    missing = await app.refused("GET", f"{api}/content?path=a.svg&at=1")
    assert missing == (404, "version_not_found")


async def test_folder_is_sent_as_zip(app: RunningApp, data: Path) -> None:
    api, place = await hub_folder(app, data)
    os.utime(place / "Trip/map.png", (0, 0))
    big = os.urandom(600_000)
    (place / "Trip/big.bin").write_bytes(big)
    answer = await app.admin.get(f"{api}/zip?path=Trip")
    assert answer.headers["content-disposition"].endswith("Trip.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == ["big.bin", "day 1/Ärger.txt", "map.png"]
        assert archive.read("big.bin") == big
    whole = await app.admin.get(f"{api}/zip")
    assert whole.headers["content-disposition"].endswith("Photos.zip")
    with zipfile.ZipFile(io.BytesIO(whole.content)) as archive:
        assert "Trip/map.png" in archive.namelist()
        assert not [name for name in archive.namelist() if "syncthing" in name or ".st" in name]
    assert (await app.refused("GET", f"{api}/zip?path=no"))[0] == 404


async def test_uploaded_file_replaces_the_current_one(app: RunningApp, data: Path) -> None:
    api, place = await hub_folder(app, data)
    url = f"{api}/content?path=new/dir/a.bin"
    large = os.urandom(30_000_000)
    for content in (b"first", large):
        answer = await app.admin.put(url, content=content)
        assert answer.json() == {"path": "new/dir/a.bin", "size": len(content)}, answer.text
    assert (place / "new/dir/a.bin").read_bytes() == large
    found = await app.get(api.replace("files", "versions"), path="new/dir/a.bin")
    [version] = found["versions"]
    assert (version["size"], version["at"] <= time.time() + 1) == (5, True)
    for path in ("../a", "link/a", ".stignore", "Trip", ""):
        answer = await app.admin.put(f"{api}/content?path={path}", content=b"x")
        assert 400 <= answer.status_code < 500, path
    assert not list(place.rglob(".syncthing.quartet-*"))
    without_token = await app.admin.put(url, content=b"x", headers={"x-csrf-token": ""})
    assert without_token.status_code == 403


async def test_new_folder_is_empty_and_accepts_upload(app: RunningApp, data: Path) -> None:
    """The hub creates a folder only when its engine adds it, which may be later."""
    folder = await app.folder("New")
    api = f"/api/folders/{folder['id']}/files"
    assert await names(app, api) == []
    answer = await app.admin.put(f"{api}/content?path=a/b.txt", content=b"first")
    assert answer.status_code == 200, answer.text
    assert (data / "folders" / folder["engineFolderId"] / "a/b.txt").read_bytes() == b"first"
    assert await names(app, api) == ["a"]
