"""The socket of an admitted agent."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from quartet.sync.agents.reports import Reports
from quartet.sync.agents.types import Limits
from quartet.sync.config.store import devices
from quartet.sync.config.types.devices import NewDevice
from quartet.sync.config.types.revisions import Config
from quartet.sync.hub.service import Hubs
from quartet.sync.protocol import (
    Applied,
    DesiredState,
    FolderError,
    FolderStatus,
    Status,
    Versioning,
    Welcome,
)
from tests.database_backend import servers
from tests.sync.agent import Agent, engine_id
from tests.sync.running_app import RunningApp, running_app, until, without_table

pytestmark = pytest.mark.anyio


async def test_every_agent_receives_new_revision(app: RunningApp) -> None:
    first_id, first = await app.device()
    _, second = await app.device()
    folder = await app.folder(ignorePatterns=[" *.tmp ", "", "cache/"])
    revision = await app.share(folder["id"], first_id, "/home/ada/Photos", "send")

    state = await first.state(revision)
    assert state.revision == revision
    [shared] = state.folders
    assert (shared.id, shared.label) == (folder["engineFolderId"], "Photos")
    assert (shared.mode, shared.path) == ("send", "/home/ada/Photos")
    assert (shared.ignore_patterns, shared.encrypted) == (["*.tmp", "cache/"], False)
    # Only the hub keeps old versions, unless a user wants them on devices too.
    assert shared.versioning is None
    body = {"versioning": {"maxAgeDays": 30, "onDevices": True}}
    answer = await app.admin.patch(f"/api/folders/{folder['id']}", json=body)
    assert answer.json()["versioning"]["onDevices"] is True
    [changed] = (await first.state(revision + 1)).folders
    assert changed.versioning == Versioning(max_age_days=30, on_devices=True)
    # Every state is complete, and the revision is the same for all devices.
    assert (await second.state(revision)).folders == []


async def test_only_encrypted_folders_wait_for_the_hub(
    app: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy, done = asyncio.Event(), asyncio.Event()

    async def reconcile(_hubs: Hubs, _config: Config) -> None:
        busy.set()
        await done.wait()

    (first_id, first), (second_id, second) = await app.device(), await app.device()
    secret = await app.folder("Diary", encryptedOnHub=True)
    folder = await app.folder()
    revision = await app.share(secret["id"], second_id, "/diary")
    await first.state(revision)
    await second.state(revision)
    monkeypatch.setattr(Hubs, "reconcile", reconcile)
    revision = await app.share(folder["id"], first_id, "/photos")
    [shared] = (await first.state(revision)).folders
    assert shared.path == "/photos"
    await busy.wait()
    waiting = asyncio.create_task(second.state(revision))
    await asyncio.wait([waiting], timeout=0.3)
    assert not waiting.done()
    done.set()
    assert [each.path for each in (await waiting).folders] == ["/diary"]


async def test_reconnecting_agent_gets_current_state(app: RunningApp) -> None:
    device_id, agent = await app.device()
    await agent.leave()
    folder = await app.folder()
    await app.share(folder["id"], device_id, "/a")
    revision = await app.share(folder["id"], device_id, "/b", "receive")
    await agent.greet()
    await agent.receive(Welcome)
    state = await agent.receive(DesiredState)
    assert (state.revision, state.folders[0].path) == (revision, "/b")


async def test_epoch_survives_restart_but_not_restore(data: Path) -> None:
    if servers.postgres:
        pytest.skip("on PostgreSQL the database determines the epoch")
    epochs = []
    for number in range(3):
        if number == 2:
            # Backups do not contain this file.
            (data / "epoch").unlink()
        async with running_app(data) as app:
            agent = app.agent()
            await agent.greet(code=await app.code())
            await agent.receive(Welcome)
            epochs.append((await agent.receive(DesiredState)).epoch)
    assert epochs[0] == epochs[1] != epochs[2]


async def test_reset_server_starts_new_epoch(data: Path, tmp_path: Path) -> None:
    if servers.postgres:
        pytest.skip("on PostgreSQL the database determines the epoch")
    async with running_app(data) as app:
        device_id, agent = await app.device()
        _, other = await app.device()
    # A copy of the disk, not a backup.
    copy = Path(shutil.copytree(data, tmp_path / "copy"))
    async with running_app(data) as app:
        revision = (await app.overview())["revision"]
        await app.folder()
        agent.server = app.url
        await agent.greet()
        await agent.receive(Welcome)
        known = await agent.receive(DesiredState)
        assert known.revision == revision + 1
        await agent.leave()
    async with running_app(copy) as app:
        agent.server = other.server = app.url
        await other.greet()
        await other.receive(Welcome)
        assert (await other.receive(DesiredState)).epoch == known.epoch
        told: dict[str, Any] = {"epoch": known.epoch, "revision": known.revision}
        assert await agent.join(**told) == device_id
        epoch = (await other.receive(DesiredState)).epoch
        assert epoch != known.epoch
        # Only a revision of the current epoch counts, and only once.
        await agent.leave()
        for each in (told, {"epoch": epoch, "revision": 99}):
            await agent.greet(**each)
            await agent.receive(Welcome)
            assert (await agent.receive(DesiredState)).epoch == epoch
            await agent.leave()
        await other.leave()
    async with running_app(copy) as app:
        agent.server = app.url
        await agent.greet()
        await agent.receive(Welcome)
        assert (await agent.receive(DesiredState)).epoch == epoch
        await agent.leave()


async def test_applied_revision_is_shown_and_survives_restart(data: Path) -> None:
    async with running_app(data) as app:
        device_id, agent = await app.device()
        folder = await app.folder()
        revision = await app.share(folder["id"], device_id, "/a")
        await agent.state(revision)
        assert (await app.shown(device_id))["appliedRev"] < revision
        errors = [
            FolderError(folder["engineFolderId"], "path_missing", {"path": "/a"}),
            FolderError("unknown", "path_missing"),
        ]
        await agent.say(Applied(revision, errors))

        async def applied() -> bool:
            return bool((await app.shown(device_id))["appliedRev"] == revision)

        await until(applied)
        shown = (await app.shown(device_id))["errors"]
        expected = {"folderId": folder["id"], "code": "path_missing", "inputs": {"path": "/a"}}
        assert shown == [expected]
    async with running_app(data) as app:
        device = await app.shown(device_id)
        assert (device["appliedRev"], device["agentVersion"]) == (revision, "1.0")
        assert (device["online"], device["lastSeen"] > 0) == (False, True)


async def test_error_of_a_folder_that_a_device_no_longer_has_is_not_shown(app: RunningApp) -> None:
    device_id, agent = await app.device()
    folder = await app.folder()
    revision = await app.share(folder["id"], device_id, "/a")
    await agent.state(revision)
    await agent.say(Applied(revision, [FolderError(folder["engineFolderId"], "path_missing")]))

    async def errors() -> list[Any]:
        found: list[Any] = (await app.shown(device_id))["errors"]
        return found

    async def failed() -> bool:
        return len(await errors()) == 1

    await until(failed)
    assert (await app.admin.delete(f"/api/folders/{folder['id']}")).is_success
    assert await errors() == []


async def test_device_report_is_kept_when_writing_fails(app: RunningApp) -> None:
    _, agent = await app.device()
    db = app.started.kernel.db
    # This device never connects, so the server writes no report that would replace this one.
    new = NewDevice("laptop", "linux", bytes(32), engine_id(), "1.0", "1")
    device_id = await db.write(lambda tx: devices.add(tx.conn, new, 1))
    reports = Reports(db)
    reports.connected(device_id, agent.hello(agent_version="2.0"))
    with without_table(app, "devices"), pytest.raises(DBAPIError):
        await reports.flush()
    assert Reports(db).of(device_id).agent_version == "1.0"
    await reports.flush()
    assert Reports(db).of(device_id).agent_version == "2.0"


async def test_status_is_shown_only_for_folders_of_device(app: RunningApp) -> None:
    device_id, agent = await app.device()
    folder = await app.folder()
    other = await app.folder("Music")
    await agent.state(await app.share(folder["id"], device_id, "/a"))
    status = FolderStatus(
        "syncing", files=3, bytes=900, need_files=1, need_bytes=300, unsent_items=2, unsent_bytes=50
    )
    mine, foreign = folder["engineFolderId"], other["engineFolderId"]
    await agent.say(Status({mine: status, foreign: status}))

    async def told() -> bool:
        return bool((await app.get("/api/status"))["devices"][str(device_id)]["folders"])

    await until(told)
    devices = (await app.get("/api/status"))["devices"]
    expected = {
        "state": "syncing",
        "files": 3,
        "bytes": 900,
        "needFiles": 1,
        "needBytes": 300,
        "errors": 0,
        "drifted": 0,
        "unsentItems": 2,
        "unsentBytes": 50,
        "hubKnown": True,
    }
    assert devices == {str(device_id): {"online": True, "folders": {str(folder["id"]): expected}}}
    await app.share(folder["id"], device_id, "", "off")
    devices = (await app.get("/api/status"))["devices"]
    assert devices == {str(device_id): {"online": True, "folders": {}}}
    await agent.leave()

    async def away() -> bool:
        devices = (await app.get("/api/status"))["devices"]
        return bool(devices[str(device_id)] == {"online": False, "folders": {}})

    await until(away)
    kinds = [event["kind"] for event in await app.get("/api/events")]
    assert [kind for kind in kinds if kind != "config"] == ["disconnected", "connected", "paired"]


async def test_stopping_server_records_no_disconnected_devices(app: RunningApp) -> None:
    device_id, agent = await app.device()
    app.started.kernel.events.close()
    await agent.leave()

    async def away() -> bool:
        return not (await app.get("/api/status"))["devices"][str(device_id)]["online"]

    await until(away)
    kinds = [event["kind"] for event in await app.get("/api/events")]
    assert kinds[:2] == ["connected", "paired"]


async def test_public_address_is_accepted(data: Path) -> None:
    async with running_app(data, public_url="https://sync.example.org/sync") as app:
        made = await app.post("/api/enrollments", {})
        assert "--server https://sync.example.org/sync " in made["command"]
        assert await app.agent(address="sync.example.org").join(made["code"]) == 1


async def test_silent_agent_is_rejected(data: Path) -> None:
    async with running_app(data, Limits(hello_seconds=0.05)) as app:
        agent = app.agent()
        await agent.dial()
        assert await agent.rejected() == "hello_too_late"


async def test_answers_to_many_revisions_do_not_count_as_flood(data: Path) -> None:
    async with running_app(data, Limits(messages=5)) as app:
        device_id, agent = await app.device()
        for number in range(12):
            await app.folder(f"Folder {number}")
        while (state := await agent.receive(DesiredState)).revision < 13:
            await agent.say(Applied(state.revision))
        await agent.say(Applied(13))

        async def applied() -> bool:
            return bool((await app.shown(device_id))["appliedRev"] == 13)

        await until(applied)


async def test_agent_that_does_not_read_is_disconnected(data: Path) -> None:
    async with running_app(data, Limits(send_seconds=0.2)) as app:
        device_id, agent = await app.device()
        agent.socket.transport.pause_reading()
        patterns = [f"{number}{'x' * 450}" for number in range(500)]
        folder = await app.folder(ignorePatterns=patterns)
        await app.share(folder["id"], device_id, "/p")

        async def offline() -> bool:
            # Fill the buffers between both ends.
            await app.folder()
            return not (await app.shown(device_id))["online"]

        await until(offline)
        agent.socket.transport.abort()


async def test_status_interval_grows_with_number_of_agents(data: Path) -> None:
    async with running_app(data, Limits(statuses_per_second=1)) as app:
        intervals = []
        for _ in range(3):
            agent = app.agent()
            await agent.greet(code=await app.code())
            intervals.append((await agent.receive(Welcome)).status_interval)
        assert intervals == [1.0, 2.0, 3.0]


async def test_slow_agent_skips_outdated_states(app: RunningApp) -> None:
    """It may miss revisions in between, but not the last one, and never goes back."""
    _, agent = await app.device()
    for number in range(20):
        await app.folder(f"Folder {number}")
    revisions: list[int] = []
    while not revisions or revisions[-1] < 21:
        revisions.append((await agent.receive(DesiredState)).revision)
    assert revisions == sorted(revisions)


async def test_change_reaches_many_agents(app: RunningApp) -> None:
    agents = [Agent(app.url) for _ in range(20)]
    app.agents.extend(agents)
    codes = await asyncio.gather(*(app.code() for _ in agents))
    for agent, code in zip(agents, codes, strict=True):
        await agent.join(code)
    await app.folder()
    states = await asyncio.gather(*(agent.state(21) for agent in agents))
    assert {state.revision for state in states} == {21}
    # Without a hub there are no peers.
    assert [state.peers for state in states] == [[]] * 20


async def test_wrong_clock_of_device_is_shown(app: RunningApp) -> None:
    near, _ = await app.device(clock_offset=-20)
    assert (await app.shown(near))["clockOffset"] == 0
    far, _ = await app.device(clock_offset=-3600)
    assert (await app.shown(far))["clockOffset"] == -3600
