"""The hub with real engines: recovery, retries and device progress."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from quartet.kernel.errors import AppError, Problem
from quartet.kernel.supervisor import BackgroundTask, Supervisor
from quartet.sync.config.types.desired import HubFolder, HubPeer, HubState
from quartet.sync.engine.types import Listener, SystemStatus
from quartet.sync.hub import listening
from quartet.sync.hub.listening import ListenWatch
from quartet.sync.hub.local import LocalHub
from quartet.sync.hub.types import HubChange
from quartet.sync.protocol import Versioning
from tests.real_servers import free_port
from tests.sync.engines import (
    LoggedEngine,
    arrives,
    config,
    engine,
    eventually,
    folder,
    program_path,
)

pytestmark = pytest.mark.anyio


def hub_folder(ident: str, *devices: LoggedEngine, **more: Any) -> HubFolder:
    fields: dict[str, Any] = {"encrypted": False, "ignore_patterns": [], **more}
    return HubFolder(
        id=ident,
        label=ident,
        versioning=Versioning(),
        devices=[each.id for each in devices],
        **fields,
    )


def wanted(revision: int, devices: list[LoggedEngine], *folders: HubFolder) -> HubState:
    return HubState(revision, [HubPeer(each.id, "laptop") for each in devices], list(folders))


@asynccontextmanager
async def running(
    data: Path, changes: list[HubChange] | None = None, **options: Any
) -> AsyncIterator[LocalHub]:
    """Run the hub under a supervisor, as the server does."""
    hub = LocalHub(data, program=program_path(), **options)
    if changes is not None:
        hub.change_listeners.append(changes.extend)
    supervisor = Supervisor()
    await supervisor.start([BackgroundTask("hub", hub.run, restart_on_return=True)])
    try:
        yield hub
    finally:
        await supervisor.stop(20)


async def test_hub_reports_changes_and_completion_of_device(tmp_path: Path) -> None:
    port, changes = free_port(), list[HubChange]()
    async with (
        running(tmp_path, changes, listen=f"127.0.0.1:{port}") as hub,
        engine(tmp_path / "device") as device,
    ):
        # Returns at once while the engine is not running.
        state = wanted(7, [device], hub_folder("photos", device, ignore_patterns=["*.tmp"]))
        await hub.reconcile(state)
        await eventually(lambda: hub.state().applied_revision == 7)
        hub.engine.address = f"tcp://127.0.0.1:{port}"  # type: ignore[attr-defined]
        there = tmp_path / "there"
        peer: Any = hub.engine
        await device.apply(config(peer, folder("photos", there, peer)))
        (there / "a.txt").write_text("hello")
        await device.rest.scan("photos")
        await arrives(tmp_path / "folders/photos/a.txt", "hello")
        told = await eventually(lambda: [each for each in changes if each.path == "a.txt"])
        assert (told[0].folder, told[0].device) == ("photos", device.id)
        assert await hub.made_by("photos", "a.txt") == device.id
        await eventually(lambda: _percent(hub, device) == 100)
        await device.rest.request("POST", "system/pause")
        (tmp_path / "folders/photos/b.txt").write_text("while it is away")
        await hub.scan("photos")
        # The figures arrive one after the other.
        await eventually(lambda: _figures(hub, device) == (16, 1, True))
        await eventually(lambda: hub.state().folders["photos"].files == 2)
        assert 0 < _percent(hub, device) < 100
        report = hub.state()
        assert (report.state, report.error) == ("running", None)
        assert report.engine_version.startswith("v")


def _percent(hub: LocalHub, device: LoggedEngine) -> float:
    found = hub.state().completion.get("photos", {}).get(device.id)
    return found.percent if found and found.known else -1


def _figures(hub: LocalHub, device: LoggedEngine) -> tuple[int, int, bool]:
    found = hub.state().completion["photos"][device.id]
    return found.need_bytes, found.need_items, found.known


async def test_killed_hub_recovers(tmp_path: Path) -> None:
    async with running(tmp_path, listen="127.0.0.1:0") as hub:
        await hub.reconcile(wanted(1, [], hub_folder("photos")))
        await eventually(lambda: hub.state().applied_revision == 1)
        before = hub.state().engine_id
        os.kill(hub.engine.pid, signal.SIGKILL)
        await eventually(lambda: hub.state().state == "retrying")
        error = hub.state().error
        assert error is not None
        assert error.code == "engine_exited"
        # Requested while the engine is down: returns at once and is applied later.
        await asyncio.wait_for(hub.reconcile(wanted(2, [], hub_folder("music"))), 5)
        await eventually(lambda: hub.state().applied_revision == 2)
        assert hub.state().engine_id == before
        assert [each["id"] for each in (await hub.engine.rest.config())["folders"]] == ["music"]
    assert LocalHub(tmp_path).state().engine_id == before
    assert hub.state().state == "stopped"
    with pytest.raises(AppError, match="engine_unreachable"):
        await hub.scan("music")


async def test_failed_folder_is_retried(tmp_path: Path) -> None:
    blocked = tmp_path / "folders/photos"
    blocked.parent.mkdir()
    blocked.write_text("a file where the folder shall be")
    async with running(tmp_path, listen="127.0.0.1:0") as hub:
        await hub.reconcile(wanted(1, [], hub_folder("photos"), hub_folder("music")))
        await eventually(lambda: hub.state().error)
        assert (tmp_path / "folders/music/.stfolder").exists()
        blocked.unlink()
        await eventually(lambda: hub.state().error is None)
        assert (hub.state().state, hub.state().applied_revision) == ("running", 1)


async def test_missing_program_is_reported(tmp_path: Path) -> None:
    hub = LocalHub(tmp_path, program=tmp_path / "nothing")
    with pytest.raises(AppError, match="engine_missing"):
        await hub.run()
    error = hub.state().error
    assert error is not None
    assert (hub.state().state, error.code) == ("retrying", "engine_missing")


async def test_port_of_another_program_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "FIRST_SECONDS", 0.1)
    monkeypatch.setattr(listening, "CHECK_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        async with running(tmp_path, listen=address) as hub:
            error = await eventually(lambda: hub.state().error)
            assert error == Problem("hub_port_taken", {"address": address})
            assert hub.state().state == "retrying"


async def test_problem_ends_when_engine_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "FIRST_SECONDS", 0)
    monkeypatch.setattr(listening, "CHECK_SECONDS", 0)
    errors = iter(["bind: permission denied", None])
    seen: list[Problem | None] = []

    async def status() -> SystemStatus:
        return SystemStatus("ID", {"tcp://:80": Listener(next(errors, None))})

    watch = ListenWatch(lambda: seen.append(watch.problem))
    fake: Any = SimpleNamespace(rest=SimpleNamespace(status=status))
    watching = asyncio.create_task(watch.run(fake))
    await eventually(lambda: len(seen) == 2)
    watching.cancel()
    inputs = {"address": ":80", "reason": "bind: permission denied"}
    assert seen == [Problem("hub_not_listening", inputs), None]
