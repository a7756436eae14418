"""Versions on the hub: the engine's and the archived ones."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.sync.hubfiles.folder_on_disk import (
    FolderOnDisk,
    parse_version_path,
    path_parts,
    version_path,
)
from quartet.sync.hubfiles.names import stamp
from tests.sync.running_app import RunningApp

pytestmark = pytest.mark.anyio

AT = 1794703685
STAMP = "20261115-004805"

names_on_disk = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1)


async def hub_folder(app: RunningApp, data: Path) -> tuple[str, Path, Path]:
    folder = await app.folder("Notes")
    place = data / "folders" / folder["engineFolderId"]
    (place / ".stversions").mkdir(parents=True)
    archive = data / "archive" / folder["engineFolderId"]
    return f"/api/folders/{folder['id']}/versions", place, archive


async def names(app: RunningApp, api: str, **query: str) -> list[tuple[str, int]]:
    found = (await app.get(api, **query))["versions"]
    return [(each["path"], each["at"]) for each in found]


async def test_versions_are_listed_by_file_folder_and_all(app: RunningApp, data: Path) -> None:
    api, place, archive = await hub_folder(app, data)
    kept = place / ".stversions"
    (kept / "deep/er").mkdir(parents=True)
    archive.mkdir(parents=True)
    (kept / f"plan~{STAMP}.txt").write_text("old")
    (kept / "plan~20261114-004805.txt").write_text("older")
    (kept / f"~{STAMP}.profile").write_text("dot")
    (kept / f"deep/er/Makefile~{STAMP}").write_text("make")
    (kept / "notes~today.txt").write_text("no version")
    (kept / f"link~{STAMP}.txt").symlink_to("/etc/passwd")
    os.mkfifo(kept / f"pipe~{STAMP}.txt")
    # The same version in both places is listed once.
    (archive / f"plan~{STAMP}.txt").write_text("old")
    (archive / "plan~20261115-004806.txt").write_text("put away")
    assert await names(app, api) == [
        ("plan.txt", AT + 1),
        (".profile", AT),
        ("deep/er/Makefile", AT),
        ("plan.txt", AT),
        ("plan.txt", AT - 86400),
    ]
    day = AT - 86400
    assert await names(app, api, path="plan.txt") == [("plan.txt", at) for at in (AT + 1, AT, day)]
    assert await names(app, api, path="deep") == [("deep/er/Makefile", AT)]
    assert await names(app, api, path="pla") == []
    found = (await app.get(api, path=".profile"))["versions"]
    assert found == [{"path": ".profile", "at": AT, "size": 3, "name": f"~{STAMP}.profile"}]


async def test_versions_are_paged_without_loss(app: RunningApp, data: Path) -> None:
    api, place, _ = await hub_folder(app, data)
    for number in range(450):
        (place / f".stversions/{number:03}~{STAMP}").touch()
    seen: list[str] = []
    page: dict[str, Any] = await app.get(api)
    sizes = [len(page["versions"])]
    while page["cursor"]:
        seen += [each["path"] for each in page["versions"]]
        page = await app.get(api, cursor=page["cursor"])
        sizes.append(len(page["versions"]))
    seen += [each["path"] for each in page["versions"]]
    assert sizes == [200, 200, 50]
    assert seen == [f"{number:03}" for number in range(450)]
    for cursor in ("x", "1", "-1/a", "9" * 40 + "/a"):
        assert await app.refused("GET", f"{api}?cursor={cursor}") == (400, "invalid_request")


async def test_restore_keeps_both_contents(app: RunningApp, data: Path) -> None:
    api, place, archive = await hub_folder(app, data)
    version = place / f".stversions/plan~{STAMP}.txt"
    version.write_text("old")
    (place / "plan.txt").write_text("now")
    await app.post(f"{api}/restore", {"path": "plan.txt", "at": AT})
    assert (place / "plan.txt").read_text() == "old"
    assert version.read_text() == "old"
    assert [path.read_text() for path in archive.iterdir()] == ["now"]
    assert sorted(path.name for path in place.iterdir()) == [".stversions", "plan.txt"]
    # And back again, from the archive.
    newest = (await names(app, api, path="plan.txt"))[0]
    await app.post(f"{api}/restore", {"path": "plan.txt", "at": newest[1]})
    assert (place / "plan.txt").read_text() == "now"
    assert len(await names(app, api, path="plan.txt")) == 3
    events = [each["code"] for each in await app.get("/api/events")]
    assert events.count("version_restored") == 2


async def test_engine_notices_restored_file_with_same_time_and_size(
    app: RunningApp, data: Path
) -> None:
    api, place, _ = await hub_folder(app, data)
    for path, words in ((place / f".stversions/a~{STAMP}", "one"), (place / "a", "two")):
        path.write_text(words)
        os.utime(path, (AT, AT))
    await app.post(f"{api}/restore", {"path": "a", "at": AT})
    assert (place / "a").read_text() == "one"
    assert (place / "a").stat().st_mtime > AT or time.time() < AT


async def test_deleted_file_is_restored_with_its_folders(app: RunningApp, data: Path) -> None:
    api, place, _ = await hub_folder(app, data)
    (place / ".stversions/deep/er").mkdir(parents=True)
    (place / f".stversions/deep/er/plan~{STAMP}.txt").write_text("old")
    await app.post(f"{api}/restore", {"path": "deep/er/plan.txt", "at": AT})
    assert (place / "deep/er/plan.txt").read_text() == "old"


async def test_restore_paths_cannot_leave_folder(app: RunningApp, data: Path) -> None:
    api, place, _ = await hub_folder(app, data)
    outside = data / "outside"
    outside.mkdir()
    (outside / f"plan~{STAMP}.txt").write_text("secret")
    kept = place / ".stversions"
    (kept / "linked").symlink_to(outside)
    (kept / f"link~{STAMP}").symlink_to(outside / f"plan~{STAMP}.txt")
    (kept / "there").mkdir()
    (kept / f"there/plan~{STAMP}.txt").write_text("old")
    (place / "there").symlink_to(outside)
    os.mkfifo(kept / f"pipe~{STAMP}")
    (place / "folder").mkdir()
    (kept / f"folder~{STAMP}").write_text("old")
    for path in (
        "../outside/plan.txt",
        "linked/plan.txt",
        "link",
        "there/plan.txt",
        "pipe",
        "folder",
        "/etc/passwd",
        ".stversions/there/plan.txt",
        ".stignore",
        "a\0b",
        "",
    ):
        answer = await app.admin.post(f"{api}/restore", json={"path": path, "at": AT})
        assert 400 <= answer.status_code < 500, (path, answer.text)
    assert sorted(path.name for path in outside.iterdir()) == [f"plan~{STAMP}.txt"]
    assert not list(place.rglob(".syncthing.*"))


async def test_old_archived_versions_are_pruned(app: RunningApp, data: Path) -> None:
    _, _, archive = await hub_folder(app, data)
    archive.mkdir(parents=True)
    old = archive / "a~20200101-000000.txt"
    old.write_text("old")
    new = archive / f"a~{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.txt"
    new.write_text("new")
    versions: Any = app.started.built.dependencies["versions"]
    await versions.prune()
    assert (old.exists(), new.exists()) == (False, True)


async def test_files_return_to_their_content_before_a_time(app: RunningApp, data: Path) -> None:
    _, place, _ = await hub_folder(app, data)
    (place / ".stversions/deep").mkdir(parents=True)
    (place / "deep").mkdir()
    (place / "deep/a.txt").write_text("encrypted twice")
    for at, content in ((AT - 9, "long ago"), (AT, "before"), (AT + 5, "encrypted once")):
        (place / f".stversions/deep/a~{stamp(at)}.txt").write_text(content)
    (place / f".stversions/b~{stamp(AT + 1)}.txt").write_text("deleted")
    versions: Any = app.started.built.dependencies["versions"]
    since = dict.fromkeys(("deep/a.txt", "b.txt", "unknown.txt"), AT)
    await versions.restore_first(1, since)
    assert (place / "deep/a.txt").read_text() == "before"
    assert (place / "b.txt").read_text() == "deleted"
    await versions.undo_restore(1, since, {"b.txt"})
    assert (place / "deep/a.txt").read_text() == "encrypted twice"
    assert not (place / "b.txt").exists()


async def test_versions_of_hub_are_thinned_out(app: RunningApp, data: Path) -> None:
    _, place, _ = await hub_folder(app, data)
    day, now = 24 * 3600, int(time.time())
    # By age in seconds: whether the version stays.
    ages = {
        400 * day: False,
        90 * day: True,
        89 * day: False,
        82 * day: True,
        3 * day: True,
        3 * day - 3600: False,
        2 * 3600: True,
        2 * 3600 - 60: False,
        100: True,
        90: False,
        60: True,
    }
    kept = {
        place / ".stversions" / f"a~{stamp(now - age)}.txt": stays for age, stays in ages.items()
    }
    for path in kept:
        path.write_text("old")
    versions: Any = app.started.built.dependencies["versions"]
    await versions.prune()
    assert {path.name: path.exists() for path in kept} == {
        path.name: stays for path, stays in kept.items()
    }


@pytest.mark.parametrize("ending", ["", ".txt", "." + "e" * 250])
async def test_names_too_long_for_mark_are_kept_apart(
    app: RunningApp, data: Path, ending: str
) -> None:
    api, place, archive = await hub_folder(app, data)
    services: Any = app.started.built.dependencies
    on_disk = FolderOnDisk(data, services["revisions"].current.folders[1])
    (place / "deep").mkdir()
    long = "n" * (254 - len(ending))
    one, two = (f"deep/{long}{number}{ending}" for number in (1, 2))
    for path in (one, two):
        (place / path).write_text(path)
        on_disk.move_to_archive(path_parts(path))
    [(_, at)] = await names(app, api, path=one)
    assert {path for path, _ in await names(app, api, path="deep")} == {one, two}
    (place / one).write_text("newer")
    await app.post(f"{api}/restore", {"path": one, "at": at})
    assert [each.name for each in (place / "deep").iterdir()] == [Path(one).name]
    assert (place / one).read_text() == one
    assert len(await names(app, api, path=one)) == 2
    old = archive / ".stversions/20200101-000000" / one
    old.parent.mkdir(parents=True)
    old.write_text("old")
    await services["versions"].prune()
    assert not old.exists()
    assert len(await names(app, api)) == 3


@given(names_on_disk, st.integers(0, 60))
def test_version_path_can_be_parsed(name: str, less: int) -> None:
    name = (name * 255).encode()[: 255 - less].decode(errors="ignore")
    place = version_path(("a", name), AT)
    assert parse_version_path(place) == (("a", name), AT)
    assert len(place[-1].encode()) <= 255
