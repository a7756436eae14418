"""Rules for devices that run Syncthing without an agent; real engines are tested separately."""

from typing import Any

import pytest

from quartet.sync.config.desired import device_state, hub_state
from quartet.sync.config.store import revisions
from tests.sync.agent import engine_id
from tests.sync.running_app import RunningApp
from tests.sync.test_drafts import bad_rows, row

pytestmark = pytest.mark.anyio


async def added(app: RunningApp, name: str = "Pixel") -> int:
    body = {"engineId": engine_id(), "name": name, "kind": "phone"}
    number: int = (await app.post("/api/devices", body))["id"]
    return number


def encrypted(folder: int, device: int, password: str | None = "sandcastle") -> dict[str, Any]:
    return {**row(folder, device, mode="encrypted"), **({"password": password} if password else {})}


async def test_modes_that_the_hub_cannot_enforce_are_rejected(app: RunningApp) -> None:
    phone = await added(app)
    laptop, _ = await app.device()
    folder, diary = await app.folder(), await app.folder("Diary", encryptedOnHub=True)
    rows = [row(folder["id"], phone, mode="receive")]
    assert (await bad_rows(app, *rows))[0][2] == "mode_needs_agent"
    rows = [encrypted(folder["id"], laptop), encrypted(diary["id"], phone)]
    codes = [code for *_, code in await bad_rows(app, *rows)]
    assert codes == ["mode_needs_no_agent", "already_encrypted"]
    await app.post("/api/shares", {"changes": [row(folder["id"], phone, "/ignored")]})
    [share] = (await app.overview())["shares"]
    assert share["path"] == ""


async def test_encryption_password_is_fixed_and_never_shown(app: RunningApp) -> None:
    phone, folder = await added(app), (await app.folder())["id"]
    rows = [encrypted(folder, phone, None)]
    assert (await bad_rows(app, *rows))[0][2] == "encryption_password_missing"
    await app.post("/api/shares", {"changes": [encrypted(folder, phone)]})
    rows = [encrypted(folder, phone, "another")]
    assert (await bad_rows(app, *rows))[0][2] == "encryption_password_fixed"
    for path in ("/api/overview", "/api/config/export", "/api/revisions"):
        assert "sandcastle" not in str(await app.get(path))


async def test_device_is_added_once_and_by_valid_id_only(app: RunningApp) -> None:
    ident = engine_id()
    spelled = ident.replace("-", " ").lower()
    await app.post("/api/devices", {"engineId": spelled, "name": "Pixel", "kind": "phone"})
    [shown] = (await app.overview())["devices"]
    assert (shown["engineId"], shown["agentless"], shown["fingerprint"]) == (ident, True, "")
    body = {"engineId": ident, "name": "Again", "kind": "phone"}
    assert await app.refused("POST", "/api/devices", json=body) == (409, "engine_id_taken")
    body["engineId"] = ident[:-1] + ("A" if ident[-1] != "A" else "B")
    assert await app.refused("POST", "/api/devices", json=body) == (400, "engine_id_invalid")


async def test_repair_needs_an_agent(app: RunningApp) -> None:
    phone, folder = await added(app), (await app.folder())["id"]
    await app.post("/api/shares", {"changes": [row(folder, phone)]})
    url = f"/api/folders/{folder}/devices/{phone}/rebuild"
    assert await app.refused("POST", url) == (409, "needs_agent")


async def test_export_and_restore_keep_devices_without_agent(app: RunningApp) -> None:
    phone, folder = await added(app), (await app.folder())["id"]
    await app.post("/api/shares", {"changes": [encrypted(folder, phone)]})
    file = await app.get("/api/config/export")
    before = (await app.overview())["revision"]
    await app.post("/api/config/import", file)
    [share] = (await app.overview())["shares"]
    assert share["mode"] == "encrypted"
    await app.post("/api/shares", {"changes": [row(folder, phone, mode="off")]})
    await app.post(f"/api/revisions/{before}/restore")
    [share] = (await app.overview())["shares"]
    assert share["mode"] == "encrypted"


async def test_desired_states_encrypt_only_for_device_without_agent(app: RunningApp) -> None:
    phone, folder = await added(app), (await app.folder())["id"]
    laptop, _ = await app.device()
    await app.post(
        "/api/shares", {"changes": [encrypted(folder, phone), row(folder, laptop, "/photos")]}
    )
    db = app.started.kernel.db
    config = db.write_sync(lambda tx: revisions.config(tx.conn))
    [wanted] = hub_state(config).folders
    assert wanted.passwords == {config.devices[phone].engine_id: "sandcastle"}
    assert len(wanted.devices) == 2
    assert device_state(config, phone, None, "").folders == []
