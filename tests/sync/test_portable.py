"""Export and import of the whole configuration."""

import base64
import copy
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.sync.agent import engine_id
from tests.sync.running_app import RunningApp, running_app

pytestmark = pytest.mark.anyio

SECRETS = ("password", "secret", "code", "signature", "session")


async def filled(app: RunningApp) -> dict[str, Any]:
    """Return an export with two devices, one of them blocked, and two folders."""
    one, _ = await app.device()
    two, _ = await app.device()
    notes = await app.folder("Notes", ignorePatterns=["*.tmp"])
    diary = await app.folder("Diary", encryptedOnHub=True)
    await app.share(notes["id"], one, "/home/x/notes", "send")
    await app.share(diary["id"], two, "/home/x/diary")
    await app.admin.patch(f"/api/devices/{one}", json={"traffic": {"uploadKib": 5}})
    await app.admin.patch(f"/api/devices/{two}", json={"blocked": True, "name": "tower"})
    file: dict[str, Any] = await app.get("/api/config/export")
    return file


def content(file: dict[str, Any]) -> dict[str, Any]:
    return {name: file[name] for name in ("folders", "devices", "shares")}


async def test_export_can_be_imported_on_other_server(
    app: RunningApp, fresh: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = await filled(app)
    assert not any(word in str(file).lower() for word in SECRETS)
    place = shutil.copytree(fresh, tmp_path_factory.mktemp("other") / "sync")
    async with running_app(Path(place)) as other:
        await other.folder("Will go")
        before = (await other.overview())["revision"]
        answer = await other.post("/api/config/import", file)
        assert answer["revision"] == before + 1
        again = await other.get("/api/config/export")
        assert content(again) == content(file)
        labels = [each["label"] for each in (await other.overview())["folders"]]
        assert labels == ["Notes", "Diary"]
        # The agent keeps its key, so it is recognised.
        agent = app.agents[0]
        agent.server = other.url
        await agent.leave()
        await agent.greet()
        await agent.welcomed()
        # The replaced configuration can be restored.
        await other.post(f"/api/revisions/{before}/restore")
        labels = [each["label"] for each in (await other.overview())["folders"]]
        assert labels == ["Will go"]


async def test_importing_own_export_changes_nothing(app: RunningApp) -> None:
    file = await filled(app)
    before = await app.overview()
    await app.post("/api/config/import", file)
    after = await app.overview()
    assert [each["id"] for each in after["folders"]] == [each["id"] for each in before["folders"]]
    assert after["shares"] == before["shares"]


async def test_import_does_not_unblock_devices(app: RunningApp) -> None:
    file = await filled(app)
    for device in file["devices"]:
        device["blocked"] = False
    await app.post("/api/config/import", file)
    blocked = {each["name"]: each["blocked"] for each in (await app.overview())["devices"]}
    assert blocked == {"laptop": False, "tower": True}


async def test_invalid_import_changes_nothing(app: RunningApp) -> None:
    file = await filled(app)
    before = await app.overview()

    async def refused(**parts: Any) -> str:
        body = {**copy.deepcopy(file), **parts}
        status, code = await app.refused("POST", "/api/config/import", json=body)
        assert status in (400, 422)
        return code

    devices, folders, shares = file["devices"], file["folders"], file["shares"]
    weak = {**devices[0], "publicKey": base64.b64encode(bytes(32)).decode()}
    assert await refused(devices=[weak, devices[1]]) == "import_device_invalid"
    thief = {**devices[0], "publicKey": base64.b64encode(b"x" * 32).decode()}
    assert await refused(devices=[thief, devices[1]]) == "import_device_invalid"
    assert await refused(devices=[*devices, devices[0]]) == "import_twice"
    assert await refused(folders=[*folders, folders[0]]) == "import_twice"
    assert await refused(shares=[*shares, shares[0]]) == "import_twice"
    assert await refused(folders=folders[:1]) == "import_unknown"
    plain = {**folders[1], "encryptedOnHub": False}
    assert await refused(folders=[folders[0], plain]) == "import_encryption_differs"
    outside = {**folders[0], "engineFolderId": "../../etc"}
    assert await refused(folders=[outside, folders[1]]) == "invalid_request"
    bad = {**folders[0], "ignorePatterns": ["#include /etc/passwd"]}
    assert await refused(folders=[bad, folders[1]]) == "pattern_include"
    relative = {**shares[0], "path": "notes"}
    assert await refused(shares=[relative, shares[1]]) == "import_share_invalid"
    assert await refused(format=2) == "invalid_request"
    assert (await app.overview())["revision"] == before["revision"]


async def test_configuration_of_syncthing_is_added(app: RunningApp, tmp_path: Path) -> None:
    """A real file; its own device and another one become devices without an agent."""
    command = ("syncthing", "generate", f"--home={tmp_path}", "--no-default-folder")
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "HOME": "/"})
    written = (tmp_path / "config.xml").read_text()
    friend_id = engine_id()
    (own,) = re.findall(r'^    <device id="(.+?)"', written, re.MULTILINE)
    folder = f'<folder id="photos-1" label="Photos"><device id="{own}"/><device id="{friend_id}">'
    folder += "<encryptionPassword>secret</encryptionPassword></device></folder>"
    friend = f'<device id="{friend_id}" name="Friend"/>'
    content = written.replace("<gui", f"{folder}{friend}<gui", 1).encode()

    notes = await app.folder("Notes")
    answer = await app.admin.post("/api/config/syncthing", content=content)
    assert answer.status_code == 200, answer.text
    await app.post("/api/config/import", answer.json())
    file = await app.get("/api/config/export")
    assert [each["label"] for each in file["folders"]] == ["Notes", "Photos"]
    devices = {each["engineId"]: each for each in file["devices"]}
    assert devices[friend_id]["name"] == "Friend"
    assert all(each["agentless"] for each in devices.values())
    # The friend had the folder encrypted, and must not get it in another way.
    (share,) = file["shares"]
    assert (share["engineFolderId"], share["engineId"]) == ("photos-1", own)
    assert notes["id"] in [each["id"] for each in (await app.overview())["folders"]]


async def test_other_xml_files_are_refused(app: RunningApp) -> None:
    for content in (b"<html/>", b"no xml", b'<!DOCTYPE x [<!ENTITY a "b">]><configuration/>'):
        answer = await app.admin.post("/api/config/syncthing", content=content)
        assert (answer.status_code, answer.json()["code"]) == (422, "import_not_syncthing")
