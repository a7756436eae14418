"""From a link to the file in the done folder."""

import asyncio
import hashlib
import random
from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, packages, progress_in, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

MIB = 1024 * 1024


def some_bytes(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


def parts(data: Path) -> list[str]:
    return sorted(path.name for path in (data / "tmp").glob("*"))


async def test_link_becomes_file_in_done_folder(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    data = some_bytes(9 * MIB)
    link = server.put("Holiday.mp4", data)
    async with ada.started.kernel.events.subscribe() as events:
        package = await add(ada, link, packageName="Summer")
        await act(ada, f"/api/packages/{package}/start")
        [download] = await until_all(ada, "finished")
        seen = progress_in(await events.batch(0))
        while not seen or seen[-1]["items"]:
            seen += progress_in(await events.batch(5))
    assert (tmp_path / "done" / "Summer" / "Holiday.mp4").read_bytes() == data
    assert parts(tmp_path) == []
    assert download["file"] == "Summer/Holiday.mp4"
    assert download["size"] == download["bytesDone"] == len(data)
    assert download["finishedAt"] >= download["createdAt"] > 1_700_000_000_000
    assert (seen[-1]["items"], seen[-1]["totalSpeed"]) == ([], 0)
    item = seen[0]["items"][0]
    assert item.keys() == {"id", "bytesDone", "size", "speed", "phase", "eta", "segments"}
    assert item["id"] == download["id"]


async def test_many_small_files(ada: Client, server: FileServer, tmp_path: Path) -> None:
    files = {f"f{number}.bin": some_bytes(1000 + number, number) for number in range(60)}
    await act_settings(ada, maxParallel=20)
    links = [server.put(name, data) for name, data in files.items()]
    await add(ada, *links, packageName="Many", start=True)
    await until_all(ada, "finished")
    for name, data in files.items():
        assert (tmp_path / "done" / "Many" / name).read_bytes() == data
    assert parts(tmp_path) == []


async def act_settings(client: Client, **values: object) -> None:
    answer = await client.put("/api/settings", json=values)
    assert answer.status_code == 200, answer.text


async def test_two_packages_with_same_folder_and_names(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    one, two = some_bytes(1000, 1), some_bytes(1000, 2)
    server.put("a/set.part1.rar", one)
    server.put("b/set.part1.rar", two)
    first = await add(ada, server.url("a/set.part1.rar"), packageName="Set", start=True)
    second = await add(ada, server.url("b/set.part1.rar"), packageName="Set", start=True)
    shown = await until_all(ada, "finished")
    files = {each["packageId"]: each["file"] for each in shown}
    assert set(files.values()) == {"Set/set.part1.rar", "Set/set (1).part1.rar"}
    assert (tmp_path / "done" / files[first]).read_bytes() == one
    assert (tmp_path / "done" / files[second]).read_bytes() == two


async def test_existing_file_is_not_replaced(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    taken = tmp_path / "done" / "P" / "x.bin"
    taken.parent.mkdir(parents=True)
    taken.write_bytes(b"mine")
    await add(ada, server.put("x.bin", b"theirs"), packageName="P", start=True)
    await until_all(ada, "finished")
    assert taken.read_bytes() == b"mine"
    assert (taken.parent / "x (1).bin").read_bytes() == b"theirs"


async def test_missing_file_is_offline_at_once(ada: Client, server: FileServer) -> None:
    await add(ada, server.url("gone.bin"), start=True)
    [download] = await until_all(ada, "failed")
    assert download["online"] == "offline"
    assert download["error"]["code"] == "file_offline"


async def test_temporary_error_is_retried_later(ada: Client, server: FileServer) -> None:
    link = server.put("x.bin", b"x")
    server.refusals["x.bin"] = [503] * 20
    await add(ada, link, start=True)
    [download] = await until(ada, lambda all: all[0]["attempts"] == 1)
    assert download["status"] == "queued"
    assert download["error"]
    assert 9_000 < download["retryAt"] - download["createdAt"] < 40_000
    server.refusals.clear()
    # Pausing and resuming skips the waiting time.
    await act(ada, f"/api/downloads/{download['id']}/pause")
    await act(ada, f"/api/downloads/{download['id']}/resume")
    [download] = await until_all(ada, "finished")
    assert download["error"] is None


async def test_temporary_error_is_final_without_retries(ada: Client, server: FileServer) -> None:
    await act_settings(ada, maxRetries=0)
    server.put("x.bin", b"x")
    server.refusals["x.bin"] = [503] * 20
    await add(ada, server.url("x.bin"), start=True)
    [download] = await until_all(ada, "failed")
    assert download["retryAt"] is None
    server.refusals.clear()
    await act(ada, f"/api/packages/{download['packageId']}/resume")
    await until_all(ada, "finished")


async def test_files_are_verified_by_checksum_list(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    good, bad = some_bytes(100_000, 1), some_bytes(100_000, 2)
    listed = f"{hashlib.md5(good).hexdigest()} *good.bin\n{'0' * 32} *bad.bin\n"
    links = [
        server.put("sums.md5", listed.encode()),
        server.put("good.bin", good),
        server.put("bad.bin", bad),
    ]
    await act_settings(ada, maxParallel=1)
    await add(ada, *links, packageName="Sums", start=True)
    shown = {each["name"]: each for each in await until_all(ada, "finished", "failed")}
    assert shown["good.bin"]["hashOk"] is True
    assert shown["bad.bin"]["status"] == "failed"
    assert shown["bad.bin"]["error"]["code"] == "hash_wrong"
    assert not (tmp_path / "done" / "Sums" / "bad.bin").exists()
    assert parts(tmp_path) == []
    # Fetched a second time before it fails.
    assert len([each for each in server.requests if each.endswith("bad.bin")]) >= 2


async def test_checksum_list_that_arrives_last_is_used(ada: Client, server: FileServer) -> None:
    good, bad = some_bytes(1000, 1), some_bytes(1000, 2)
    listed = f"{hashlib.sha256(good).hexdigest()}  good.bin\n{'0' * 64}  bad.bin\n"
    links = [
        server.put("good.bin", good),
        server.put("bad.bin", bad),
        server.put("sums.sha256", listed.encode()),
    ]
    await act_settings(ada, maxParallel=1)
    await add(ada, *links, packageName="Sums", start=True)
    shown = await until(ada, lambda all: [each["hashOk"] for each in all] == [True, False, None])
    assert [each["status"] for each in shown] == ["finished"] * 3
    assert shown[1]["error"]["code"] == "hash_wrong"


async def test_limits_per_queue_and_per_host(ada: Client, server: FileServer) -> None:
    server.open.clear()
    server.chunks_before_waiting = 0
    await act_settings(ada, maxParallel=5, perHost=2)
    for number in range(6):
        server.put(f"{number}.bin", some_bytes(1000, number))
    here = [server.url(f"{number}.bin") for number in range(4)]
    there = [server.url(f"{number}.bin").replace("127.0.0.1", "localhost") for number in (4, 5)]
    await add(ada, *here, *there, start=True)
    shown = await until(ada, lambda all: [each["status"] for each in all].count("downloading") == 4)
    running = [each["name"] for each in shown if each["status"] == "downloading"]
    assert running == ["0.bin", "1.bin", "4.bin", "5.bin"]
    server.open.set()
    await until_all(ada, "finished")


async def test_higher_priority_starts_first(ada: Client, server: FileServer) -> None:
    await act_settings(ada, maxParallel=1)
    for name in ("a.bin", "b.bin", "c.bin"):
        server.put(name, b"x")
    package = await add(ada, *(server.url(f"{n}.bin") for n in "abc"))
    await until(ada, lambda all: all[-1]["online"] == "online")
    server.requests.clear()
    [_, _, last] = await downloads(ada)
    await act(ada, f"/api/downloads/{last['id']}", "PATCH", json={"priority": 2})
    await act(ada, f"/api/packages/{package}/start")
    await until_all(ada, "finished")
    order = list(dict.fromkeys(each.split()[-1] for each in server.requests))
    assert order == ["c.bin", "a.bin", "b.bin"]


async def test_speed_limit_is_removed_during_download(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    data = some_bytes(4 * MIB)
    await act_settings(ada, speedLimitKib=64)
    await add(ada, server.put("slow.bin", data), packageName="P", start=True)
    await until_all(ada, "downloading")
    stats = (await ada.get("/api/stats")).json()
    assert (stats["active"], stats["speedLimitKib"]) == (1, 64)
    async with asyncio.timeout(60):
        await act_settings(ada, speedLimitKib=0)
        await until_all(ada, "finished")
    assert (tmp_path / "done" / "P" / "slow.bin").read_bytes() == data


async def test_files_are_deleted_with_package_only_on_request(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    for name in ("keep", "drop"):
        link = server.put(f"{name}.bin", b"x")
        await add(ada, link, packageName=name, start=True)
    await until_all(ada, "finished")
    for package in await packages(ada):
        query = {"files": str(package["name"] == "drop").lower()}
        await act(ada, f"/api/packages/{package['id']}", "DELETE", params=query)
    assert await packages(ada) == []
    await gone(tmp_path / "done" / "drop")
    assert (tmp_path / "done" / "keep" / "keep.bin").exists()


async def test_file_with_reused_path_is_deleted_with_its_own_package(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    file = tmp_path / "done" / "P" / "x.bin"
    links = [server.put("x.bin", b"old"), server.put("y.bin", b"old")]
    old = await add(ada, *links, packageName="P", start=True)
    await until_all(ada, "finished")
    file.rename(tmp_path / "mine.bin")
    new = await add(ada, server.put("x.bin", b"new"), packageName="P", start=True)
    shown = await until(ada, lambda all: len(all) == 3 and all[2]["status"] == "finished")
    assert [each["file"] for each in shown] == ["P/x.bin", "P/y.bin", "P/x.bin"]
    await act(ada, f"/api/packages/{old}", "DELETE", params={"files": "true"})
    # Files are deleted in order, so the first one would already be gone.
    await gone(file.with_name("y.bin"))
    assert file.read_bytes() == b"new"
    await act(ada, f"/api/packages/{new}", "DELETE", params={"files": "true"})
    await gone(file)


async def gone(path: Path) -> None:
    async with asyncio.timeout(60):
        while path.exists():
            await asyncio.sleep(0.01)


async def test_full_disk_pauses_download_with_error(
    ada: Client, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = server.put("big.bin", some_bytes(2 * MIB))
    monkeypatch.setattr("quartet.kernel.files.space.free_space", lambda _fd: MIB)
    await add(ada, link, packageName="P", start=True)
    [download] = await until_all(ada, "paused")
    assert download["error"]["code"] == "no_space"
    assert download["retryAt"] is None
    monkeypatch.undo()
    await act(ada, "/api/downloads/resume-all")
    await until_all(ada, "finished")


async def test_unwritable_folder_keeps_part_file(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    (tmp_path / "done").write_text("in the way")
    await add(ada, server.put("x.bin", b"x"), packageName="P", start=True)
    [download] = await until(ada, lambda all: all[0]["error"] is not None)
    assert download["status"] in ("queued", "paused")
    assert "1.part" in parts(tmp_path)
    (tmp_path / "done").unlink()
    await act(ada, f"/api/downloads/{download['id']}/pause")
    await act(ada, f"/api/downloads/{download['id']}/resume")
    await until_all(ada, "finished")
    assert (tmp_path / "done" / "P" / "x.bin").read_bytes() == b"x"


async def test_shutdown_does_not_wait_for_downloads(server: FileServer, tmp_path: Path) -> None:
    server.open.clear()
    link = server.put("x.bin", some_bytes(MIB))
    async with logged_in(tmp_path) as client:
        await add(client, link, start=True)
        await until_all(client, "downloading")
        await server.waiting.wait()
        leaving = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - leaving < 2
