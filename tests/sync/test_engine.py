"""Two real engines on loopback, configured like a hub and an agent."""

import asyncio
import shutil
import stat
import time
from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
from quartet.sync.engine import EngineConfig, EnginePeer, service
from quartet.sync.engine.plan import make_plan
from tests.real_servers import free_port
from tests.sync.engines import (
    EnginePair,
    LoggedEngine,
    arrives,
    config,
    engine,
    eventually,
    folder,
)

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


async def test_engine_is_private_and_sends_no_reports(
    pair: EnginePair,
) -> None:
    hub, device = pair
    for each in pair:
        options = (await each.rest.config())["options"]
        assert options["listenAddresses"] == [each.address]
        assert options["urAccepted"] == -1
        for name in ("globalAnnounceEnabled", "localAnnounceEnabled", "relaysEnabled"):
            assert options[name] is False
        assert not options["natEnabled"]
        assert not options["crashReportingEnabled"]
        command = Path(f"/proc/{each.pid}/cmdline").read_bytes()
        environment = Path(f"/proc/{each.pid}/environ").read_bytes()
        assert b"STGUIAPIKEY" not in command
        assert b"TZ=UTC" in environment
        for path in (each.home, each.home / "running.json", each.home / "config.xml"):
            assert not stat.S_IMODE(path.stat().st_mode) & 0o077
    assert hub.id != device.id


async def test_folder_that_device_offers_before_the_hub_syncs(
    pair: EnginePair, tmp_path: Path
) -> None:
    hub, device = pair
    here, there = tmp_path / "here", tmp_path / "there"
    for ident in ("unknown", "unshared"):
        (there / ident).mkdir(parents=True)
        (there / ident / "a.txt").write_text("from the device")
    # The device is known and connected; the hub has one folder, but does not share it yet.
    await device.apply(config(hub))
    await hub.apply(config(device, folder("unshared", here / "unshared")))
    await eventually(lambda: device.is_connected(hub.id))
    offered = [folder(ident, there / ident, hub) for ident in ("unknown", "unshared")]
    await device.apply(config(hub, *offered))

    async def was_offered() -> bool:
        found = await hub.rest.get(dict[str, object], "cluster/pending/folders")
        return found.keys() == {"unknown", "unshared"}

    await eventually(was_offered)
    began = time.monotonic()
    wanted = [folder(ident, here / ident, device) for ident in ("unknown", "unshared")]
    assert await hub.apply(config(device, *wanted)) == {}
    for ident in ("unknown", "unshared"):
        await arrives(here / ident / "a.txt", "from the device")
    # Not only with the next connection.
    assert time.monotonic() - began < 10
    assert await hub.rest.get(dict[str, object], "cluster/pending/folders") == {}


async def test_applying_twice_changes_nothing(tmp_path: Path) -> None:
    async with engine(tmp_path / "home") as hub, engine(tmp_path / "other") as device:
        await _apply_twice(hub, device, tmp_path)


async def _apply_twice(hub: LoggedEngine, device: LoggedEngine, tmp_path: Path) -> None:
    wanted = config(
        device,
        folder("one", tmp_path / "one", device, ignore_patterns=["*.tmp", "// words"]),
        folder("two", tmp_path / "two", type="receiveonly"),
    )
    assert await hub.apply(wanted) == {}
    before = await hub.rest.config()
    assert make_plan(before, wanted, hub.id).steps == 0
    assert await hub.apply(wanted) == {}
    assert await hub.rest.config() == before
    assert not any(each["paused"] for each in before["folders"])
    assert (tmp_path / "one/.stignore").read_text().split("\n")[:2] == ["*.tmp", "// words"]
    assert await hub.apply(EngineConfig()) == {}
    left = await hub.rest.config()
    assert left["folders"] == []
    assert [each["deviceID"] for each in left["devices"]] == [hub.id]


async def test_ignored_files_are_not_sent(pair: EnginePair, tmp_path: Path) -> None:
    hub, device = pair
    here, there = tmp_path / "here", tmp_path / "there"
    there.mkdir()
    (there / "secret.tmp").write_text("x")
    (there / "page.txt").write_text("page")
    await hub.apply(config(device, folder("ign", here, device)))
    await device.apply(config(hub, folder("ign", there, hub, ignore_patterns=["*.tmp"])))
    await device.rest.scan("ign")
    await arrives(here / "page.txt", "page")
    await eventually(lambda: hub.statuses["ign"].files == 1)
    assert not (here / "secret.tmp").exists()


async def test_problems_are_reported_per_folder(pair: EnginePair, tmp_path: Path) -> None:
    hub, device = pair
    wanted = config(
        device,
        folder("good", tmp_path / "good", device),
        folder("nowhere", Path("/proc/nowhere")),
        folder("pattern", tmp_path / "pattern", ignore_patterns=["["]),
    )
    problems = await hub.apply(wanted)
    assert {ident: problem.code for ident, problem in problems.items()} == {
        "nowhere": "path_not_found",
        "pattern": "bad_ignore_pattern",
    }
    assert "invalid pattern" in problems["pattern"].inputs["reason"]
    again = await hub.apply(wanted)
    assert again.keys() == problems.keys()
    await eventually(lambda: hub.statuses["nowhere"].state == "error")
    # An unmounted disk must not look like an emptied folder.
    (tmp_path / "good/file").write_text("x")
    await hub.rest.scan("good")
    shutil.rmtree(tmp_path / "good/.stfolder")
    changed = config(device, folder("good", tmp_path / "good", device, ignore_patterns=["*.a"]))
    assert (await hub.apply(changed))["good"].code == "marker_missing"
    with pytest.raises(AppError):
        await hub.rest.scan("good")
    assert (await hub.apply(changed))["good"].code == "marker_missing"
    assert not (tmp_path / "good/.stfolder").exists()


async def test_folder_moves_to_another_path(pair: EnginePair, tmp_path: Path) -> None:
    hub, device = pair
    await hub.apply(config(device, folder("mv", tmp_path / "hub", device)))
    await device.apply(config(hub, folder("mv", tmp_path / "old", hub)))
    (tmp_path / "hub/file").write_text("kept")
    await hub.rest.scan("mv")
    await arrives(tmp_path / "old/file", "kept")
    assert await device.apply(config(hub, folder("mv", tmp_path / "new", hub))) == {}
    await arrives(tmp_path / "new/file", "kept")
    assert (tmp_path / "old/file").read_text() == "kept"
    assert (tmp_path / "hub/file").read_text() == "kept"


async def test_encrypted_folder_is_unreadable_on_hub(pair: EnginePair, tmp_path: Path) -> None:
    hub, device = pair
    here, there = tmp_path / "here", tmp_path / "there"
    await hub.apply(config(device, folder("enc", here, device, type="receiveencrypted")))
    secret = folder("enc", there, hub, password="correct horse")
    assert await device.apply(config(hub, secret)) == {}
    assert [each["untrusted"] for each in (await device.rest.config())["devices"]
            if each["deviceID"] == hub.id] == [True]  # fmt: skip
    (there / "diary.txt").write_text("dear diary")
    await device.rest.scan("enc")
    await device.reopen_stalled_connections(config(hub))
    await eventually(lambda: [path for path in here.rglob("*") if path.is_file()
                              and ".stfolder" not in path.parts])  # fmt: skip
    assert not (here / "diary.txt").exists()
    plain = await hub.apply(config(device, folder("enc", here, device)))
    assert plain["enc"].code == "encryption_fixed"


async def test_stalled_connection_is_reopened(
    pair: EnginePair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, device = pair

    async def connection() -> str:
        found = (await device.rest.connections()).connections.get(hub.id)
        return found.started_at if found and found.connected else ""

    # The hub does not have the folder, so its index never arrives.
    await hub.apply(config(device, folder("one", tmp_path / "one", device)))
    wanted = config(
        hub,
        folder("one", tmp_path / "two", hub),
        folder("enc", tmp_path / "enc", hub, password="correct horse"),
    )
    await device.apply(wanted)
    first = await eventually(connection)
    monkeypatch.setattr(service, "STALL_SECONDS", 0.1)
    await device.reopen_stalled_connections(wanted)

    async def changed() -> bool:
        return await connection() not in ("", first)

    await eventually(changed)


@pytest.mark.nightly
async def test_lost_connection_is_dialled_again(tmp_path: Path) -> None:
    async with (
        engine(tmp_path / "hub", port=free_port()) as hub,
        engine(tmp_path / "device") as device,
    ):
        await hub.apply(EngineConfig([EnginePeer(device.id)]))
        wanted = config(hub)
        await device.apply(wanted)

        async def is_connected() -> bool:
            return (await device.rest.connections()).connections[hub.id].connected

        async def is_lost() -> bool:
            return not await is_connected()

        await eventually(is_connected)
        # The engine itself would not dial again during the test.
        await device.rest.request("PATCH", "config/options", {"reconnectionIntervalS": 3600})
        for _ in range(5):
            await hub.rest.request("POST", "system/pause", query={"device": device.id})
            await eventually(is_lost)
            await hub.rest.request("POST", "system/resume", query={"device": device.id})
            await eventually(is_connected)

        async def is_restored() -> bool:
            return make_plan(await device.rest.shares(), wanted, device.id).steps == 0

        await eventually(is_restored)


async def test_unexpected_exit_is_an_error(tmp_path: Path) -> None:
    async with engine(tmp_path / "home") as made:
        await made.rest.request("POST", "system/restart")
        with pytest.raises(AppError) as error:
            await asyncio.wait_for(made.ended, 60)
        # The log of a requested restart contains no error.
        assert error.value.code == "engine_exited_silently"
        assert error.value.inputs == {"exitCode": 3}


async def test_leftover_engine_is_replaced(tmp_path: Path) -> None:
    async with engine(tmp_path / "home") as left_over:
        process = left_over.pid
        async with engine(tmp_path / "home") as new:
            assert (new.id, new.pid != process) == (left_over.id, True)
            with pytest.raises(AppError, match="engine_exited"):
                await asyncio.wait_for(left_over.ended, 60)
            assert (await new.rest.status()).my_id == new.id


async def test_long_home_path_works(tmp_path: Path) -> None:
    async with engine(tmp_path / ("long" * 30)) as made:
        assert await made.apply(EngineConfig()) == {}
