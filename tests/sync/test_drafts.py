"""Drafts of modes and paths are applied as one revision, or not at all."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.sync.config.paths import DevicePaths, key_of, path_problem
from tests.sync.running_app import RunningApp

pytestmark = pytest.mark.anyio


def row(folder: int, device: int, path: str | None = None, mode: str = "both") -> dict[str, Any]:
    path_field = {} if path is None else {"path": path}
    return {"folderId": folder, "deviceId": device, "mode": mode, **path_field}


async def bad_rows(app: RunningApp, *rows: dict[str, Any]) -> list[tuple[int, int, str]]:
    answer = await app.admin.post("/api/shares", json={"changes": rows})
    assert (answer.status_code, answer.json()["code"]) == (422, "draft_invalid"), answer.text
    return [
        (each["folderId"], each["deviceId"], each["code"])
        for each in answer.json()["inputs"]["rows"]
    ]


async def two_of_each(app: RunningApp) -> None:
    await app.device()
    await app.device(os="windows")
    await app.folder("Photos")
    await app.folder("Music")


async def test_draft_is_one_revision(app: RunningApp) -> None:
    await two_of_each(app)
    before = (await app.overview())["revision"]
    rows = [row(1, 1, "/p"), row(2, 1, "/m", "send"), row(1, 2, "D:\\p", "receive")]
    answer = await app.post("/api/shares", {"baseRevision": before, "changes": rows})
    assert answer == {"revision": before + 1}
    shares = (await app.overview())["shares"]
    assert sorted(shares, key=str) == sorted(rows, key=str)
    # "off" removes the share; a mode without a path keeps the path.
    await app.post("/api/shares", {"changes": [row(1, 1, mode="off"), row(2, 1, mode="both")]})
    shares = (await app.overview())["shares"]
    assert {(each["folderId"], each["deviceId"], each["path"]) for each in shares} == {
        (2, 1, "/m"),
        (1, 2, "D:\\p"),
    }


async def test_draft_without_changes_creates_no_revision(app: RunningApp) -> None:
    await two_of_each(app)
    revision = await app.share(1, 1, "/p")
    assert await app.share(1, 1, "/p") == revision
    assert await app.post("/api/shares", {"changes": []}) == {"revision": revision}
    assert len(await app.get("/api/revisions")) == revision


async def test_every_invalid_row_is_reported(app: RunningApp) -> None:
    await two_of_each(app)
    before = await app.overview()
    found = await bad_rows(
        app,
        row(1, 1, "relative/path"),
        row(2, 1, "~ada/Music"),
        row(1, 2, "/not/windows"),
        row(2, 2, "C:\\fine"),
        row(2, 2, "C:\\twice"),
        row(9, 1, "/a"),
        row(1, 9, "/a"),
    )
    assert found == [
        (1, 1, "path_not_absolute"),
        (2, 1, "path_tilde"),
        (1, 2, "path_not_absolute"),
        (2, 2, "row_twice"),
        (9, 1, "folder_not_found"),
        (1, 9, "device_not_found"),
    ]
    assert await app.overview() == before | {"devices": (await app.overview())["devices"]}


OVERLAPS = [
    ("/a", "/a", "path_taken"),
    ("/a", "/a/", "path_taken"),
    ("/a", "/a/b", "path_nested"),
    ("/a/b/c", "/a", "path_nested"),
]


async def test_overlapping_paths_are_rejected(app: RunningApp) -> None:
    await two_of_each(app)
    for first, second, code in OVERLAPS:
        assert await bad_rows(app, row(1, 1, first), row(2, 1, second)) == [(2, 1, code)]
        # Existing shares count too, but both may move at once.
        await app.share(1, 1, first)
        assert await bad_rows(app, row(2, 1, second)) == [(2, 1, code)]
        await app.post("/api/shares", {"changes": [row(1, 1, "/x"), row(2, 1, second)]})
        await app.post("/api/shares", {"changes": [row(2, 1, mode="off")]})


async def test_servers_data_folder_is_rejected(app: RunningApp, data: Path) -> None:
    await two_of_each(app)
    inside = [data / each for each in ("folders", "folders/abcde-fghij", "hub", "archive/x", "new")]
    for path in (data, *inside):
        assert await bad_rows(app, row(1, 1, str(path))) == [(1, 1, "path_is_hub")]
    await app.share(1, 1, str(data.with_name("beside")))


async def test_oversized_and_malformed_drafts_are_rejected(app: RunningApp) -> None:
    await two_of_each(app)
    for rows in (
        [row(1, 1, "/a")] * 10_000,
        [row(1, 1, "/a", "sideways")],
        [row(-1, 1, "/a")],
        [row(2**70, 1, "/a")],
        [{"folderId": 1}],
    ):
        answer = await app.refused("POST", "/api/shares", json={"changes": rows})
        assert answer == (400, "invalid_request")


async def test_second_draft_on_same_revision_is_stale(app: RunningApp) -> None:
    await two_of_each(app)
    base = (await app.overview())["revision"]
    drafts = [
        app.admin.post("/api/shares", json={"baseRevision": base, "changes": [row(1, 1, path)]})
        for path in ("/a", "/b", "/c")
    ]
    answers = await asyncio.gather(*drafts)
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    stale = next(answer for answer in answers if answer.status_code == 409)
    assert stale.json() == {"code": "stale_draft", "inputs": {"revision": base + 1}}


async def test_preview_returns_changes_without_applying_them(app: RunningApp) -> None:
    await two_of_each(app)
    revision = await app.share(1, 1, "/p")
    await app.share(2, 1, "/m")
    draft = {
        "changes": [row(1, 1, mode="off"), row(2, 1, "/m", "receive"), row(2, 2, "C:\\m")],
    }
    assert await app.post("/api/shares/preview", draft) == {
        "revision": revision + 1,
        "devices": [
            {"deviceId": 1, "adds": [], "removes": [1], "changes": [2]},
            {"deviceId": 2, "adds": [2], "removes": [], "changes": []},
        ],
    }
    assert (await app.overview())["revision"] == revision + 1
    bad = {"json": {"changes": [row(1, 1, "no")]}}
    assert await app.refused("POST", "/api/shares/preview", **bad) == (422, "draft_invalid")


@pytest.mark.parametrize(
    ("path", "system", "code"),
    [
        ("/home/ada/Photos", "linux", None),
        ("/Users/ada/Photos", "macos", None),
        ("C:\\Users\\ada\\Photos", "windows", None),
        ("\\\\server\\share\\x", "windows", None),
        ("", "linux", "path_missing"),
        ("   ", "linux", "path_missing"),
        ("/", "linux", "path_is_root"),
        ("C:\\", "windows", "path_is_root"),
        ("C:relative", "windows", "path_not_absolute"),
        ("\\rooted", "windows", "path_not_absolute"),
        ("C:\\x", "linux", "path_not_absolute"),
        ("./x", "linux", "path_not_absolute"),
        ("~", "linux", "path_tilde"),
        ("~root/x", "linux", "path_tilde"),
        ("~/Photos", "linux", None),
        ("~\\Photos", "windows", None),
        ("~/a/../../b", "linux", "path_invalid"),
        ("/a/../b", "linux", "path_invalid"),
        ("/a\0b", "linux", "path_invalid"),
        ("/a\nb", "linux", "path_invalid"),
        ("/" + "ü" * 200, "linux", "path_invalid"),
        ("C:\\trailing.", "windows", "path_invalid"),
        ("C:\\trailing \\x", "windows", "path_invalid"),
        ("C:\\con", "windows", "path_invalid"),
        ("C:\\a:stream", "windows", "path_invalid"),
        ("/" + "x/" * 600, "linux", "path_too_long"),
    ],
)
async def test_path_rules_of_each_system(path: str, system: Any, code: str | None) -> None:
    problem = path_problem(path, system)
    assert (problem.code if problem else None) == code


@given(st.text(max_size=60), st.sampled_from(["linux", "macos", "windows", "other"]))
async def test_accepted_paths_have_no_odd_parts(path: str, system: Any) -> None:
    if path_problem(path, system) is None:
        key = key_of(path, system)
        assert len(key) > 1
        assert ".." not in key
        assert "\0" not in path


NAMES = st.lists(st.sampled_from(["a", "b", "A"]), min_size=1, max_size=4)


@given(st.lists(NAMES, max_size=6))
async def test_overlaps_are_detected(paths: list[list[str]]) -> None:
    device_paths, kept = DevicePaths(), list[tuple[str, ...]]()
    for number, parts in enumerate(paths):
        key = key_of("/" + "/".join(parts), "linux")
        overlaps = any(key[: len(other)] == other or other[: len(key)] == key for other in kept)
        assert (device_paths.add(key, number) is not None) == overlaps
        kept.append(key)


async def test_windows_and_macos_ignore_case() -> None:
    assert key_of("C:\\Photos", "windows") == key_of("c:/photos/", "windows")
    assert key_of("/Bü", "macos") == key_of("/bu\u0308", "macos")
    assert key_of("/A", "linux") != key_of("/a", "linux")
