"""Convergence with real engines: a fixed pseudo-random sequence of drafts, blocks, absences and
kills.
"""

import asyncio
import os
import random
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest

from quartet.sync.engine.rest import Access, Rest
from tests.sync.engines import program_path
from tests.sync.processes import Server, agent, joined, server, until

SEED = 20261115
STEPS = 24
NAMES = ("laptop", "tower")
MODES = ("both", "send", "receive", "off")
TYPES = {"both": "sendreceive", "send": "sendonly", "receive": "receiveonly"}


class Story:
    def __init__(self, app: Server, homes: dict[str, Path], stack: ExitStack) -> None:
        self._server = app
        self._homes = homes
        self._stack = stack
        self._random = random.Random(SEED)
        self._running: dict[str, Any] = {}
        self._folders = [app.post("/api/folders", {"label": name})["id"] for name in "abc"]
        for name in NAMES:
            self.start(name)
            until(lambda name=name: app.device(name).get("online"))

    def start(self, name: str) -> None:
        if name not in self._running:
            self._running[name] = self._stack.enter_context(agent(self._homes[name]))

    def step(self) -> None:
        name = self._random.choice(NAMES)
        act = self._random.choice((self.draft, self.draft, self.draft, self.block, self.away))
        act(name)

    def draft(self, name: str) -> None:
        folder, mode = self._random.choice(self._folders), self._random.choice(MODES)
        row = {"folderId": folder, "deviceId": self._server.device(name)["id"], "mode": mode}
        if mode != "off":
            place = self._random.choice(("here", "there"))
            row["path"] = str(self._homes[name] / f"{folder}-{place}")
        self._server.post("/api/shares", {"changes": [row]})

    def block(self, name: str, blocked: bool | None = None) -> None:
        body = {"blocked": self._random.random() < 0.5 if blocked is None else blocked}
        ident = self._server.device(name)["id"]
        assert self._server.api.patch(f"/api/devices/{ident}", json=body).is_success

    def away(self, name: str) -> None:
        """Kill the running agent, or start it again."""
        if name not in self._running:
            self.start(name)
            return
        process = self._running.pop(name)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    def end(self) -> None:
        for name in NAMES:
            self.block(name, blocked=False)
            # A rejected agent would wait for a minute.
            if name in self._running:
                self.away(name)
            self.start(name)


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_real_engines_converge(tmp_path: Path) -> None:
    program_path()
    with server(tmp_path) as app, ExitStack() as stack:
        story = Story(app, {name: joined(app, tmp_path, name) for name in NAMES}, stack)
        for _ in range(STEPS):
            story.step()
        story.end()
        revision = app.get("/api/overview")["revision"]
        for name in NAMES:
            until(lambda name=name: app.device(name)["appliedRev"] >= revision)
        until(lambda: app.get("/api/overview")["hub"]["appliedRevision"] >= revision)
        asyncio.run(compare(app, tmp_path))


async def compare(app: Server, folder: Path) -> None:
    overview = app.get("/api/overview")
    ids = {each["id"]: each["engineFolderId"] for each in overview["folders"]}
    engines = {each["id"]: each["engineId"] for each in overview["devices"]}
    hub = await folders_of(app.data / "hub")
    members = {ident: {overview["hub"]["engineId"]} for ident in ids.values()}
    for share in overview["shares"]:
        members[ids[share["folderId"]]].add(engines[share["deviceId"]])
    assert {id: {each["deviceID"] for each in it["devices"]} for id, it in hub.items()} == members
    for device in overview["devices"]:
        found = await folders_of(folder / device["name"] / ".agent" / "engine")
        assert {id: (each["type"], each["path"]) for id, each in found.items()} == {
            ids[share["folderId"]]: (TYPES[share["mode"]], share["path"])
            for share in overview["shares"]
            if share["deviceId"] == device["id"]
        }


async def folders_of(home: Path) -> dict[str, Any]:
    """Return the engine's actual folders by id."""
    rest = Rest(msgspec.json.decode((home / "running.json").read_bytes(), type=Access))
    try:
        return {each["id"]: each for each in await rest.get(list[Any], "config/folders")}
    finally:
        await rest.close()
