"""After any sequence of events, every engine ends in its desired state."""

import asyncio
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from quartet.sync.protocol import Applied, DesiredFolder, DesiredState, decode_from_server
from tests.rounds import examples
from tests.sync.agent import Agent
from tests.sync.running_app import RunningApp, running_app, until

DEVICES, FOLDERS = 3, 3
MODES = ("both", "send", "receive", "off")

devices = st.integers(0, DEVICES - 1)
rows = st.tuples(st.integers(0, FOLDERS - 1), devices, st.sampled_from(MODES), st.integers(0, 2))
steps = st.one_of(
    st.tuples(st.just("draft"), st.lists(rows, min_size=1, max_size=5)),
    st.tuples(st.just("block"), devices),
    st.tuples(st.just("unblock"), devices),
    st.tuples(st.just("leave"), devices),
    st.tuples(st.just("kill"), devices),
    st.tuples(st.just("come"), devices),
    st.tuples(st.just("patterns"), st.tuples(st.integers(0, FOLDERS - 1), st.integers(0, 9))),
)


@dataclass
class Simulated:
    """An agent with a dict as its engine, which survives the agent like a real one on disk."""

    agent: Agent
    id: int
    engine: dict[str, DesiredFolder] = field(default_factory=dict)
    listening: asyncio.Task[None] | None = None

    def start(self) -> None:
        self.listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                message = decode_from_server(await self.agent.socket.recv())
                if isinstance(message, DesiredState):
                    self.engine = {each.id: each for each in message.folders}
                    await self.agent.say(Applied(message.revision))

    async def stop(self, *, abruptly: bool = False) -> None:
        if abruptly:
            self.agent.socket.transport.abort()
        else:
            await self.agent.leave()
        if self.listening is not None:
            await self.listening

    async def come(self) -> None:
        """Connect again; a blocked device is rejected."""
        await self.stop()
        await self.agent.greet()
        self.start()


@settings(
    max_examples=examples(12),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(events=st.lists(steps, max_size=25))
def test_any_sequence_of_events_converges(fresh: Path, events: list[tuple[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(shutil.copytree(fresh, Path(folder) / "sync"))
        asyncio.run(play(data, events))


async def play(data: Path, events: list[tuple[str, Any]]) -> None:
    async with running_app(data) as app:
        fleet = [await simulated(app) for _ in range(DEVICES)]
        folders = [(await app.folder(f"Folder {number}"))["id"] for number in range(FOLDERS)]
        for word, what in events:
            await act(app, fleet, folders, word, what)
        for each in fleet:
            await block(app, each, blocked=False)
            await each.come()
        await until(lambda: settled(app, fleet))
        for each in fleet:
            await each.stop()


async def simulated(app: RunningApp) -> Simulated:
    agent = app.agent()
    made = Simulated(agent, await agent.join(await app.code()))
    made.start()
    return made


async def act(
    app: RunningApp, fleet: list[Simulated], folders: list[int], word: str, what: Any
) -> None:
    match word:
        case "draft":
            changes = {
                (folder, device): {
                    "folderId": folders[folder],
                    "deviceId": fleet[device].id,
                    "mode": mode,
                    **({} if mode == "off" else {"path": f"/home/x/{folder}-{place}"}),
                }
                for folder, device, mode, place in what
            }
            await app.post("/api/shares", {"changes": list(changes.values())})
        case "patterns":
            folder, number = what
            body = {"ignorePatterns": [f"*.{number}"]}
            await app.admin.patch(f"/api/folders/{folders[folder]}", json=body)
        case "block" | "unblock":
            await block(app, fleet[what], blocked=word == "block")
        case "leave" | "kill":
            await fleet[what].stop(abruptly=word == "kill")
        case "come":
            await fleet[what].come()


async def block(app: RunningApp, device: Simulated, *, blocked: bool) -> None:
    answer = await app.admin.patch(f"/api/devices/{device.id}", json={"blocked": blocked})
    assert answer.status_code < 300, answer.text


async def settled(app: RunningApp, fleet: list[Simulated]) -> bool:
    overview = await app.overview()
    folders = {each["id"]: each for each in overview["folders"]}
    for device in fleet:
        wanted = {
            folders[share["folderId"]]["engineFolderId"]: (
                share["mode"],
                share["path"],
                folders[share["folderId"]]["ignorePatterns"],
            )
            for share in overview["shares"]
            if share["deviceId"] == device.id
        }
        has = {
            id: (each.mode, each.path, each.ignore_patterns) for id, each in device.engine.items()
        }
        if has != wanted:
            return False
    return all(each["appliedRev"] == overview["revision"] for each in overview["devices"])
