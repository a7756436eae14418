"""What two real engines on loopback report about the folders they share."""

import asyncio
import shutil
from pathlib import Path

import pytest

from quartet.sync.agent.applier import with_unsent
from quartet.sync.engine import EngineCompletion, EngineConfig
from quartet.sync.engine.missing import missing_files, missing_on_peer
from quartet.sync.engine.monitor import Monitor
from quartet.sync.protocol import FolderStatus, MissingFile, Versioning
from tests.sync.engines import EnginePair, arrives, config, engine, eventually, folder

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


async def test_files_sync_both_ways_and_changes_name_device(
    pair: EnginePair, tmp_path: Path
) -> None:
    hub, device = pair
    here, there = tmp_path / "here", tmp_path / "there"
    wanted = config(device, folder("flow", here, device, versioning=Versioning()))
    assert await hub.apply(wanted) == {}
    assert await device.apply(config(hub, folder("flow", there, hub))) == {}
    (there / "a.txt").write_text("from the device")
    await device.rest.scan("flow")
    await arrives(here / "a.txt", "from the device")
    (here / "b.txt").write_text("from the hub")
    await hub.rest.scan("flow")
    await arrives(there / "b.txt", "from the hub")
    told = await eventually(lambda: [each for each in hub.changes if each.path == "a.txt"])
    assert (told[0].folder, device.id.startswith(told[0].modified_by)) == ("flow", True)
    await eventually(lambda: hub.statuses["flow"].files == 2 and hub.statuses["flow"].bytes == 27)
    await eventually(lambda: device.statuses["flow"].state == "idle")
    await eventually(lambda: hub.completions["flow"][device.id].known)
    await eventually(lambda: hub.completions["flow"][device.id].completion == 100)
    made = (await hub.rest.config())["folders"][0]
    assert made["maxConflicts"] == -1
    assert made["versioning"]["params"] == {"maxAge": "31536000"}


async def test_local_changes_are_detected_and_reverted(pair: EnginePair, tmp_path: Path) -> None:
    hub, device = pair
    await hub.apply(config(device, folder("ro", tmp_path / "hub", device)))
    await device.apply(config(hub, folder("ro", tmp_path / "ro", hub, type="receiveonly")))
    (tmp_path / "hub/file").write_text("hub")
    await hub.rest.scan("ro")
    await arrives(tmp_path / "ro/file", "hub")
    (tmp_path / "ro/file").write_text("edited here")
    await device.rest.scan("ro")
    await eventually(lambda: device.statuses["ro"].drifted == 1)
    await device.rest.revert("ro")
    await arrives(tmp_path / "ro/file", "hub")
    await eventually(lambda: device.statuses["ro"].drifted == 0)


async def test_missing_files_are_listed_with_reasons_and_tried_again(
    pair: EnginePair, tmp_path: Path
) -> None:
    hub, device = pair
    here, there = tmp_path / "here", tmp_path / "there"
    await hub.apply(config(device, folder("part", here, device)))
    ignoring = folder("part", there, hub, ignore_patterns=["*.tmp"])
    assert await device.apply(config(hub, ignoring)) == {}
    (here / "sub").mkdir()
    (here / "sub/file").write_text("hub")
    await hub.rest.scan("part")
    await arrives(there / "sub/file", "hub")
    # The device keeps a file in the folder that the hub deletes.
    (there / "sub/kept.tmp").write_text("")
    shutil.rmtree(here / "sub")
    await hub.rest.scan("part")
    await eventually(lambda: device.statuses["part"].errors == 1)
    failed = MissingFile("sub", deleted=True, code="file_folder_not_empty")
    assert (await missing_files(device.rest, "part")).files == [failed]
    waiting = MissingFile("sub", deleted=True)

    async def hub_knows() -> bool:
        return (await missing_on_peer(hub.rest, "part", device.id)).files == [waiting]

    await eventually(hub_knows)
    (there / "sub/kept.tmp").unlink()
    # The engine itself would try again after a minute.
    await device.rescan("part")
    await eventually(lambda: not (there / "sub").exists())
    await eventually(lambda: device.statuses["part"].errors == 0)


def test_unsent_files_include_deletions() -> None:
    known = {"hub": EngineCompletion(80, need_bytes=5, need_items=1, need_deletes=2, sequence=1)}
    status = with_unsent(FolderStatus("idle"), known)
    assert (status.unsent_items, status.unsent_bytes, status.hub_known) == (3, 5, True)


def test_hub_that_has_announced_nothing_may_lack_everything() -> None:
    mine = FolderStatus("idle", files=2, bytes=5)
    for known in ({}, {"hub": EngineCompletion(100)}):
        status = with_unsent(mine, known)
        assert (status.unsent_items, status.unsent_bytes, status.hub_known) == (2, 5, False)


async def test_device_knows_what_hub_has_not_received(pair: EnginePair, tmp_path: Path) -> None:
    hub, device = pair
    await hub.apply(config(device))
    (tmp_path / "own").mkdir()
    (tmp_path / "own/file").write_text("12345")
    assert await device.apply(config(hub, folder("own", tmp_path / "own", hub))) == {}

    def report() -> tuple[int, int, bool]:
        status = device.statuses.get("own", FolderStatus("stopped"))
        told = with_unsent(status, device.completions.get("own", {}))
        return told.unsent_items, told.unsent_bytes, told.hub_known

    # The hub does not have the folder yet. Whether the engine then reports that the hub lacks
    # everything or nothing depends on when it scans.
    await eventually(lambda: device.completions.get("own"))
    await eventually(lambda: report() == (1, 5, False))
    await hub.apply(config(device, folder("own", tmp_path / "hub", device)))
    await arrives(tmp_path / "hub/file", "12345")
    await eventually(lambda: report() == (0, 0, True))


async def test_paused_folder_is_left_alone_until_it_is_resumed(
    pair: EnginePair, tmp_path: Path
) -> None:
    hub, device = pair
    there = tmp_path / "there"
    await hub.apply(config(device, folder("rest", tmp_path / "here", device)))
    await device.apply(config(hub, folder("rest", there, hub)))
    (there / "first").write_text("1")
    await device.rest.scan("rest")
    await arrives(tmp_path / "here/first", "1")
    patterns = {"ignore_patterns": ["*.tmp"]}
    paused = config(hub, folder("rest", there, hub, paused=True, **patterns))
    assert await device.apply(paused) == {}
    assert device.statuses["rest"] == FolderStatus("paused")
    (there / "second").write_text("2")
    (there / "third.tmp").write_text("3")
    (tmp_path / "here/fourth").write_text("4")
    await hub.rest.scan("rest")
    # A missing disk matters only to folders that sync.
    (there / ".stfolder").rename(tmp_path / "marker")
    assert await device.apply(paused) == {}
    assert device.statuses["rest"].state == "paused"
    (tmp_path / "marker").rename(there / ".stfolder")
    assert not (there / "fourth").exists()
    assert await device.apply(config(hub, folder("rest", there, hub, **patterns))) == {}
    await arrives(tmp_path / "here/second", "2")
    await arrives(there / "fourth", "4")
    await eventually(lambda: device.statuses["rest"].files == 3)
    assert not (tmp_path / "here/third.tmp").exists()


async def test_folder_that_is_added_paused_gets_its_patterns_before_it_is_resumed(
    pair: EnginePair, tmp_path: Path
) -> None:
    hub, device = pair
    there = tmp_path / "there"
    there.mkdir()
    (there / "secret.tmp").write_text("x")
    await hub.apply(config(device, folder("late", tmp_path / "here", device)))
    for patterns in ([], ["*.tmp"]):
        late = folder("late", there, hub, paused=True, ignore_patterns=patterns)
        assert await device.apply(config(hub, late)) == {}
    assert (there / ".stignore").read_text().split() == ["*.tmp"]
    assert not (there / ".stfolder").exists()
    (there / "page.txt").write_text("page")
    resumed = folder("late", there, hub, ignore_patterns=["*.tmp"])
    assert await device.apply(config(hub, resumed)) == {}
    await arrives(tmp_path / "here/page.txt", "page")
    assert not (tmp_path / "here/secret.tmp").exists()


async def test_refused_folder_does_not_stop_monitor(pair: EnginePair, tmp_path: Path) -> None:
    hub, device = pair
    paused = folder("paused", tmp_path / "paused", device)
    gone = folder("gone", tmp_path / "gone", device)
    assert await hub.apply(config(device, paused)) == {}
    await hub.rest.request("PATCH", "config/folders/paused", {"paused": True})
    monitor = Monitor(hub.rest, lambda _folder: None, completions=True)
    await monitor.watch({"paused": paused, "gone": gone})
    watching = asyncio.create_task(monitor.run())
    try:
        # The monitor immediately queries a folder that the engine refuses to report.
        await asyncio.wait([watching], timeout=1.5)
        assert not watching.done()
        assert monitor.statuses["paused"].state == "paused"
        assert await hub.apply(config(device, paused, gone)) == {}
        await eventually(lambda: "gone" in monitor.statuses)
        await eventually(lambda: monitor.completions.keys() == {"paused", "gone"})
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def test_resumed_folder_is_never_reported_without_counts(tmp_path: Path) -> None:
    told: list[FolderStatus] = []

    def tell(ident: str) -> None:
        told.append(hub.statuses[ident])

    async with engine(tmp_path / "home", on_status=tell) as hub:
        place = tmp_path / "one"
        place.mkdir()
        (place / "file").write_text("x")
        assert await hub.apply(EngineConfig([], [folder("one", place)])) == {}
        await eventually(lambda: told and told[-1].files == 1)
        told.clear()
        for paused in (True, False):
            await hub.rest.request("PATCH", "config/folders/one", {"paused": paused})
            await eventually(lambda: told and (told[-1].state == "paused") is paused)  # noqa: B023
        await eventually(lambda: told[-1].state == "idle")
        assert {each.files for each in told if each.state != "paused"} == {1}
