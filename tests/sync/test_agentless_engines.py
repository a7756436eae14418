"""Devices that run Syncthing without an agent join the hub of a real server."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from quartet.sync.engine import EngineConfig, EngineFolder, EnginePeer
from tests.sync.engines import LoggedEngine, arrives, engine, eventually, program_path
from tests.sync.processes import Server, server

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]


@dataclass
class Phone:
    """A bare engine, set up by hand as its owner would do it in the app."""

    app: Server
    engine: LoggedEngine
    place: Path

    async def dial(self, *folders: EngineFolder) -> None:
        """Enter the text of the QR code and the address, and accept the folders."""
        invitation = await self.call(self.app.get, "/api/invitation")
        hub = EnginePeer(invitation["engineId"], "hub", (invitation["address"],))
        await self.engine.apply(EngineConfig([hub], list(folders)))

    async def accept(self, folder: dict[str, Any], **more: Any) -> None:
        hub = (await self.call(self.app.get, "/api/invitation"))["engineId"]
        ident = folder["engineFolderId"]
        path = str(self.place)
        await self.dial(EngineFolder(id=ident, label="Photos", path=path, peers=[hub], **more))

    async def shown(self, field: str) -> Any:
        return (await self.call(self.app.device, "Pixel")).get(field)

    @staticmethod
    async def call(request: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.to_thread(request, *arguments)


@asynccontextmanager
async def phone(folder: Path) -> AsyncIterator[Phone]:
    program_path()
    with server(folder) as app:
        async with engine(folder / "phone") as made:
            # The first request starts the hub, whose id is known then.
            await eventually(lambda: asyncio.to_thread(hub_id, app))
            yield Phone(app, made, folder / "phone-files")


def hub_id(app: Server) -> str:
    found: str = app.get("/api/invitation")["engineId"]
    return found


async def test_device_without_agent_joins_syncs_and_leaves(tmp_path: Path) -> None:
    async with phone(tmp_path) as bare:
        app, call = bare.app, bare.call
        await bare.dial()

        async def asking() -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = (await call(app.get, "/api/overview"))["pendingDevices"]
            return found

        [pending] = await eventually(asking)
        assert pending["engineId"] == bare.engine.id
        body = {"engineId": pending["engineId"].lower(), "name": "Pixel", "kind": "phone"}
        device = (await call(app.post, "/api/devices", body))["id"]
        await eventually(lambda: bare.shown("online"))
        assert await asking() == []
        assert await bare.shown("agentless")
        assert await bare.shown("engineVersion")

        folder = await call(app.post, "/api/folders", {"label": "Photos"})
        row = {"folderId": folder["id"], "deviceId": device, "mode": "both"}
        await call(app.post, "/api/shares", {"changes": [row]})
        await bare.accept(folder)
        hub = app.data / "folders" / folder["engineFolderId"]
        await eventually((hub / ".stfolder").exists)
        (bare.place / "beach.txt").write_text("from the phone")
        await arrives(hub / "beach.txt", "from the phone")
        (hub / "mountain.txt").write_text("from the hub")
        await arrives(bare.place / "mountain.txt", "from the hub")

        async def share_state() -> Any:
            status = (await call(app.get, "/api/status"))["devices"][str(device)]
            return status["folders"].get(str(folder["id"]), {}).get("state") == "idle"

        await eventually(share_state)
        share = {"shares": [{"folderId": folder["id"], "deviceId": device}]}
        revision = (await call(app.post, "/api/shares/pause", share))["revision"]

        async def paused() -> bool:
            overview = await call(app.get, "/api/overview")
            return bool(overview["hub"]["appliedRevision"] >= revision)

        await eventually(paused)
        (hub / "meanwhile.txt").write_text("while it was paused")
        await call(app.post, f"/api/folders/{folder['id']}/rescan", None)
        assert not (bare.place / "meanwhile.txt").exists()
        await call(app.post, "/api/shares/resume", share)
        await arrives(bare.place / "meanwhile.txt", "while it was paused")

        answer = await call(app.api.delete, f"/api/devices/{device}")
        assert answer.status_code == 204

        async def alone() -> bool:
            found = (await bare.engine.rest.connections()).connections
            return not any(each.connected for each in found.values())

        await eventually(alone)
        events = [each["code"] for each in await call(app.get, "/api/events")]
        assert {"added_without_agent", "connected"} <= set(events)


async def test_device_without_agent_receives_only_encrypted_files(tmp_path: Path) -> None:
    async with phone(tmp_path) as bare:
        app, call = bare.app, bare.call
        body = {"engineId": bare.engine.id, "name": "Pixel", "kind": "server"}
        device = (await call(app.post, "/api/devices", body))["id"]
        folder = await call(app.post, "/api/folders", {"label": "Photos"})
        row = {"folderId": folder["id"], "deviceId": device, "mode": "encrypted"}
        refused = await call(lambda: app.api.post("/api/shares", json={"changes": [row]}))
        assert refused.json()["inputs"]["rows"][0]["code"] == "encryption_password_missing"
        row["password"] = "sandcastle"
        await call(app.post, "/api/shares", {"changes": [row]})
        await bare.accept(folder, type="receiveencrypted")
        hub = app.data / "folders" / folder["engineFolderId"]
        await eventually((hub / ".stfolder").exists)
        (hub / "secret.txt").write_text("nobody but us")
        files = await eventually(
            lambda: [each for each in bare.place.rglob("*.syncthing-enc/**/*") if each.is_file()]
        )
        assert not (bare.place / "secret.txt").exists()
        assert all(b"nobody" not in each.read_bytes() for each in files)
        assert "sandcastle" not in str(await call(app.get, "/api/overview"))


@pytest.mark.nightly
async def test_mass_deletion_on_device_without_agent_is_held(tmp_path: Path) -> None:
    async with phone(tmp_path) as bare:
        app, call = bare.app, bare.call
        body = {"engineId": bare.engine.id, "name": "Pixel", "kind": "phone"}
        device = (await call(app.post, "/api/devices", body))["id"]
        folder = await call(app.post, "/api/folders", {"label": "Photos"})
        row = {"folderId": folder["id"], "deviceId": device, "mode": "both"}
        await call(app.post, "/api/shares", {"changes": [row]})
        await bare.accept(folder)
        hub = app.data / "folders" / folder["engineFolderId"]
        await eventually((hub / ".stfolder").exists)
        names = {f"{number}.jpg" for number in range(80)}
        for name in names:
            (hub / name).write_text(name)

        def found(place: Path) -> set[str]:
            return {each.name for each in place.glob("*.jpg")}

        await eventually(lambda: found(bare.place) == names)
        for name in names:
            (bare.place / name).unlink()

        async def held() -> bool:
            shares = (await call(app.get, "/api/overview"))["shares"]
            return any(each.get("held") for each in shares)

        await eventually(held)
        assert found(hub) == names
        url = f"/api/folders/{folder['id']}/devices/{device}"
        assert (await call(app.get, f"{url}/held"))["deleted"] == 80
        await call(app.post, f"{url}/undo", None)
        await eventually(lambda: found(bare.place) == names)
        assert found(hub) == names
