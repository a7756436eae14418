"""Conflicts on the hub's disk, and attacks by devices."""

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.sync.running_app import RunningApp, running_app, until

pytestmark = pytest.mark.anyio

MARK = ".sync-conflict-20261115-004805-L4V4D74"
AT = 1794703685


async def hub_folder(app: RunningApp, data: Path, label: str = "Notes") -> tuple[str, Path]:
    """Return the API path of a folder and its path on the hub."""
    folder = await app.folder(label)
    place = data / "folders" / folder["engineFolderId"]
    place.mkdir(parents=True)
    return f"/api/folders/{folder['id']}/conflicts", place


async def search(app: RunningApp, count: int) -> None:
    app.started.kernel.supervisor.run_now("conflicts")

    async def found() -> bool:
        folders = (await app.overview())["folders"]
        return bool(sum(folder["conflicts"] for folder in folders) == count)

    await until(found)


async def codes(app: RunningApp, kind: str) -> list[tuple[str, Any]]:
    events = await app.get("/api/events")
    return [(each["code"], each["inputs"]) for each in events if each["kind"] == kind]


def everything(data: Path) -> set[str]:
    """Return the contents of all files in the folders and the archive."""
    found = [*(data / "folders").rglob("*"), *(data / "archive").rglob("*")]
    return {path.read_text() for path in found if path.is_file() and not path.is_symlink()}


async def test_conflicts_are_found_and_recorded_once(app: RunningApp, data: Path) -> None:
    api, place = await hub_folder(app, data)
    (place / "deep/er").mkdir(parents=True)
    (place / "deep/er/plan.txt").write_text("one\n")
    (place / f"deep/er/plan{MARK}.txt").write_text("one\ntwo\n")
    (place / f"{MARK}.profile").write_text("alone")
    (place / f".stversions{MARK}").mkdir()
    (place / "plan.sync-conflict-notes.txt").write_text("a user's own")
    for path in place.rglob("*"):
        os.utime(path, (AT, AT))
    await search(app, 2)
    assert await app.get(api) == [
        {
            "path": ".profile",
            "copyPath": f"{MARK}.profile",
            "at": AT,
            "madeBy": None,
            "size": None,
            "copySize": 5,
            "modifiedAt": None,
            "copyModifiedAt": AT,
        },
        {
            "path": "deep/er/plan.txt",
            "copyPath": f"deep/er/plan{MARK}.txt",
            "at": AT,
            "madeBy": None,
            "size": 4,
            "copySize": 8,
            "modifiedAt": AT,
            "copyModifiedAt": AT,
        },
    ]
    content = await app.get(f"{api}/content", copy=f"deep/er/plan{MARK}.txt")
    assert content["current"]["text"] == "one\n"
    assert content["diff"] == [
        {"kind": "same", "text": "one", "left": 1, "right": 1},
        {"kind": "add", "text": "two", "right": 2},
    ]
    told = await codes(app, "conflict")
    assert sorted(inputs["path"] for _, inputs in told) == [".profile", "deep/er/plan.txt"]
    (place / f"{MARK}.profile").unlink()
    await search(app, 1)
    assert len(await codes(app, "conflict")) == 2


async def test_restart_does_not_record_conflicts_again(data: Path) -> None:
    async with running_app(data) as app:
        _, place = await hub_folder(app, data)
        (place / f"a{MARK}.txt").write_text("a")
        await search(app, 1)
    async with running_app(data) as app:
        assert (await app.overview())["folders"][0]["conflicts"] == 1
        (place / f"b{MARK}.txt").write_text("b")
        await search(app, 2)
        told = await codes(app, "conflict")
        assert [inputs["path"] for _, inputs in told] == ["b.txt", "a.txt"]


@pytest.mark.parametrize(
    ("keep", "path", "left"),
    [
        ("current", "plan.txt", {"plan.txt": "mine"}),
        ("copy", "plan.txt", {"plan.txt": "theirs"}),
        (
            "both",
            "plan.20261115-004805.txt",
            {"plan.txt": "mine", "plan.20261115-004805.txt": "theirs"},
        ),
    ],
)
async def test_each_resolution_keeps_both_contents(
    app: RunningApp, data: Path, keep: str, path: str, left: dict[str, str]
) -> None:
    api, place = await hub_folder(app, data)
    (place / "plan.txt").write_text("mine")
    (place / f"plan{MARK}.txt").write_text("theirs")
    await search(app, 1)
    answer = await app.post(f"{api}/resolve", {"copy": f"plan{MARK}.txt", "keep": keep})
    assert answer == {"path": path}
    assert {each.name: each.read_text() for each in place.iterdir()} == left
    assert everything(data) >= {"mine", "theirs"}
    assert await app.get(api) == []
    assert (await app.overview())["folders"][0]["conflicts"] == 0
    assert len(await codes(app, "resolved")) == 1
    again = await app.refused(
        "POST", f"{api}/resolve", json={"copy": f"plan{MARK}.txt", "keep": keep}
    )
    assert again == (404, "conflict_not_found")
    if keep != "both":
        versions = await app.get(api.replace("conflicts", "versions"), path="plan.txt")
        assert [each["path"] for each in versions["versions"]] == ["plan.txt"]


@pytest.mark.parametrize("keep", ["current", "copy", "both"])
async def test_resolve_when_original_is_deleted(app: RunningApp, data: Path, keep: str) -> None:
    api, place = await hub_folder(app, data)
    (place / f"plan{MARK}.txt").write_text("theirs")
    await app.post(f"{api}/resolve", {"copy": f"plan{MARK}.txt", "keep": keep})
    assert not (place / f"plan{MARK}.txt").exists()
    assert (place / "plan.txt").exists() == (keep == "copy")
    assert everything(data) == {"theirs"}


async def test_keep_both_never_overwrites_files(app: RunningApp, data: Path) -> None:
    api, place = await hub_folder(app, data)
    for number in ("", " (1)"):
        (place / f"plan.20261115-004805{number}.txt").write_text(f"taken{number}")
    (place / f"plan{MARK}.txt").write_text("theirs")
    answer = await app.post(f"{api}/resolve", {"copy": f"plan{MARK}.txt", "keep": "both"})
    assert answer["path"] == "plan.20261115-004805 (2).txt"
    assert everything(data) == {"taken", "taken (1)", "theirs"}


async def test_concurrent_resolutions(app: RunningApp, data: Path) -> None:
    api, place = await hub_folder(app, data)
    marks = [f"plan{MARK[:-2]}{letter}{letter}.txt" for letter in "ABCDEF"]
    (place / "plan.txt").write_text("mine")
    for mark in marks:
        (place / mark).write_text(mark)
    wanted = [{"copy": mark, "keep": "copy"} for mark in [*marks, *marks]]
    answers = await asyncio.gather(
        *(app.admin.post(f"{api}/resolve", json=each) for each in wanted)
    )
    assert sorted(each.status_code for each in answers) == [200] * 6 + [404] * 6
    # All happen within one second, and each gets its own version.
    assert everything(data) == {"mine", *marks}


async def test_encrypted_folder_is_reported(app: RunningApp) -> None:
    folder = await app.folder("Diary", encryptedOnHub=True)
    api = f"/api/folders/{folder['id']}"
    rejection = (409, "encrypted_on_hub")
    body = {"copy": f"a{MARK}", "keep": "copy"}
    assert await app.refused("GET", f"{api}/conflicts") == rejection
    assert await app.refused("GET", f"{api}/conflicts/content?copy=a") == rejection
    assert await app.refused("POST", f"{api}/conflicts/resolve", json=body) == rejection
    assert await app.refused("GET", f"{api}/versions") == rejection
    restore = {"path": "a", "at": 1}
    assert await app.refused("POST", f"{api}/versions/restore", json=restore) == rejection


OUTSIDE = [
    f"../../etc/passwd{MARK}",
    f"..%2f..%2fetc/passwd{MARK}",
    f"%2e%2e/passwd{MARK}",
    f"/etc/passwd{MARK}",
    f"a/../../b{MARK}",
    f"a\0b{MARK}",
    f"./a{MARK}",
    f"a//b{MARK}",
    f"..{MARK}",
    f".{MARK}.",
    f".stversions/a{MARK}",
    f".stfolder/a{MARK}",
    f"{'x' * 300}{MARK}",
    "../../etc/passwd",
    "plan.txt",
    f"fifo{MARK}",
    f"link{MARK}",
    f"linked/plan{MARK}.txt",
    f"folder{MARK}",
]


async def test_conflict_paths_cannot_leave_folder(app: RunningApp, data: Path) -> None:
    api, place = await hub_folder(app, data)
    outside = data / "outside"
    outside.mkdir()
    (outside / f"plan{MARK}.txt").write_text("secret")
    (place / "plan.txt").write_text("mine")
    os.mkfifo(place / f"fifo{MARK}")
    (place / f"link{MARK}").symlink_to(outside / f"plan{MARK}.txt")
    (place / "linked").symlink_to(outside)
    (place / f"folder{MARK}").mkdir()
    for copy in OUTSIDE:
        answer = await app.admin.get(f"{api}/content", params={"copy": copy})
        assert 400 <= answer.status_code < 500, (copy, answer.text)
        for keep in ("current", "copy", "both"):
            answer = await app.admin.post(f"{api}/resolve", json={"copy": copy, "keep": keep})
            assert 400 <= answer.status_code < 500, (copy, answer.text)
    assert everything(data) == {"mine"}
    assert (outside / f"plan{MARK}.txt").read_text() == "secret"
    await search(app, 0)


async def test_current_file_may_be_link_or_folder(app: RunningApp, data: Path) -> None:
    api, place = await hub_folder(app, data)
    (data / "secret").write_text("secret")
    (place / "plan.txt").symlink_to(data / "secret")
    (place / "folder").mkdir()
    for name in ("plan{}.txt", "folder{}"):
        (place / name.format(MARK)).write_text("theirs")
        copy = {"copy": name.format(MARK)}
        answer = await app.admin.get(f"{api}/content", params=copy)
        assert "secret" not in answer.text
        assert answer.status_code in (400, 409)
        answer = await app.admin.post(f"{api}/resolve", json={**copy, "keep": "copy"})
        assert answer.status_code in (400, 409)
        await app.post(f"{api}/resolve", {**copy, "keep": "current"})
    assert (place / "plan.txt").is_symlink()
    assert (data / "secret").read_text() == "secret"


async def test_link_swapped_in_between_list_and_read(app: RunningApp, data: Path) -> None:
    """A device keeps replacing a folder with a link while we read."""
    api, place = await hub_folder(app, data)
    outside = data / "outside"
    for folder, words in ((place / "deep", "inside"), (outside, "secret")):
        folder.mkdir()
        (folder / "plan.txt").write_text(words)
        (folder / f"plan{MARK}.txt").write_text(words)
    (place / "link").symlink_to(outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.wait(0.001):
            for one, two in (("deep", "x"), ("link", "deep"), ("deep", "link"), ("x", "deep")):
                (place / one).rename(place / two)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for _ in range(40):
            copy = {"copy": f"deep/plan{MARK}.txt"}
            answer = await app.admin.get(f"{api}/content", params=copy)
            assert answer.status_code in (200, 400, 404)
            assert "secret" not in answer.text
            await app.get(api)
    finally:
        stop.set()
        swapping.join()


async def test_invalid_unicode_names_are_ignored(app: RunningApp, data: Path) -> None:
    api, place = await hub_folder(app, data)
    (place / os.fsdecode(b"\xff" + MARK.encode())).write_text("no text")
    (place / f"two\nlines{MARK}.txt").write_text("fine")
    (place / f"{'ä' * 107}{MARK}").write_text("long")
    await search(app, 2)
    found = {each["path"] for each in await app.get(api)}
    assert found == {"two\nlines.txt", "ä" * 107}
    copy = f"{'ä' * 107}{MARK}"
    answer = await app.post(f"{api}/resolve", {"copy": copy, "keep": "both"})
    assert (place / answer["path"]).read_text() == "long"


async def test_number_of_conflicts_is_limited(app: RunningApp, data: Path) -> None:
    api, place = await hub_folder(app, data)
    for number in range(1010):
        (place / f"{number}{MARK}").touch()
    await search(app, 1000)
    assert len(await app.get(api)) == 1000
    assert [code for code, _ in await codes(app, "conflict")] == ["conflicts_found"]


async def test_all_conflicts_are_resolved_by_one_rule(app: RunningApp, data: Path) -> None:
    api, place = await hub_folder(app, data)
    device, agent = await app.device()

    def conflict(name: str, current: str | None, copy: str, *, newer: bool) -> None:
        (place / f"{name}{MARK}.txt").write_text(copy)
        os.utime(place / f"{name}{MARK}.txt", (AT, AT + newer))
        if current is not None:
            (place / f"{name}.txt").write_text(current)
            os.utime(place / f"{name}.txt", (AT, AT))

    conflict("older", "current", "copy", newer=False)
    conflict("newer", "current", "copy", newer=True)
    conflict("gone", None, "copy", newer=False)
    await search(app, 3)
    done = await app.post(f"{api}/resolve-all", {"keep": "newest"})
    assert done == {"resolved": 3, "skipped": 0}
    kept = {path.stem: path.read_text() for path in place.glob("*.txt")}
    assert kept == {"older": "current", "newer": "copy", "gone": "copy"}
    conflict("large", "short", "a long copy", newer=False)
    conflict("small", "a long text", "copy", newer=True)
    await search(app, 2)
    assert (await app.post(f"{api}/resolve-all", {"keep": "largest"}))["resolved"] == 2
    assert (place / "large.txt").read_text() == "a long copy"
    assert (place / "small.txt").read_text() == "a long text"
    conflict("mine", "theirs", "mine", newer=False)
    conflict("other", "theirs", "someone's", newer=False)
    await search(app, 2)
    conflicts: Any = app.started.built.dependencies["conflicts"]
    known = conflicts._known[1]
    copy = f"mine{MARK}.txt"
    known[copy] = replace(known[copy], made_by=agent.engine_id)
    by_device = {"keep": "device", "deviceId": device}
    assert await app.post(f"{api}/resolve-all", by_device) == {"resolved": 1, "skipped": 1}
    assert (place / "mine.txt").read_text() == "mine"
    # Every discarded side is a version.
    assert {"theirs", "copy", "short", "current"} <= everything(data)
    wrong = await app.refused("POST", f"{api}/resolve-all", json={"keep": "device"})
    assert wrong == (400, "invalid_request")
