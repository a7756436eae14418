"""The agent's side of the protocol, with a real engine and a scripted server."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import serve

from quartet.sync.agent import client as talking
from quartet.sync.agent.applier import DesiredStateApplier
from quartet.sync.agent.client import Client, socket_url
from quartet.sync.agent.paths import PathPolicy
from quartet.sync.agent.store import AcceptedState
from quartet.sync.engine import Engine
from quartet.sync.protocol import (
    Applied,
    Hello,
    Rejected,
    Waiting,
    Welcome,
    fingerprint,
)
from quartet.sync.protocol.limits import SERVER_MESSAGE_BYTES
from tests.log_lines import assert_in_order, assert_no_secrets, lines
from tests.sync.engines import eventually, program
from tests.sync.scripted_server import Script, ScriptConnection, agent, state

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def engine(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Engine]:
    made = Engine(await program(), tmp_path_factory.mktemp("agent") / "engine")
    await made.start()
    ended = asyncio.create_task(made.run())
    yield made
    ended.cancel()
    await asyncio.gather(ended, return_exceptions=True)
    await made.stop()


@pytest.fixture
async def script() -> AsyncIterator[Script]:
    made = Script()
    async with serve(made.serve, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        made.url = f"http://127.0.0.1:{port}"
        yield made


async def test_agent_joins_applies_and_reports(
    tmp_path: Path, script: Script, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "quartet")
    seen: dict[str, Any] = {}

    async def talk(line: ScriptConnection, hello: Hello) -> None:
        await line.send(Waiting(fingerprint(hello.public_key)))
        await line.send(Welcome(1, 0.05))
        await line.send(state(5, ("notes", tmp_path / "notes"), ("bad", Path("/etc/x"))))
        seen["applied"] = await line.receive(Applied)
        await line.until("notes")
        await line.send(state(6))
        seen["removed"] = await line.receive(Applied)
        await line.until("notes", "stopped")

    script.talk = talk
    # The clock of the device is an hour ahead.
    script.clock = lambda: time.time() - 3600
    async with agent(tmp_path, script, engine, "CODE-1234") as store:
        await script.finished()
        assert store.joined().code is None
        assert store.joined().server_id == "server-one"
        assert store.accepted_state() == AcceptedState("one", 6)
    assert_in_order(
        lines(caplog, "sync.agent", logging.INFO),
        "^revision 5 applied: 1 folders failed$",
        "^revision 6 applied: 0 folders failed$",
    )
    assert_in_order(
        lines(caplog, "sync.agent", logging.DEBUG), "^revision 5 received with 2 folders$"
    )
    assert_no_secrets(caplog, "CODE-1234")
    hello = script.hellos[0]
    assert (hello.code, hello.engine_id, hello.os) == ("CODE-1234", engine.id, "linux")
    assert hello.clock_offset >= 3600
    assert seen["applied"].revision == 5
    errors = seen["applied"].errors
    assert [(each.folder_id, each.code) for each in errors] == [("bad", "path_not_allowed")]
    assert seen["removed"] == Applied(6)
    assert (tmp_path / "notes").is_dir()


async def test_agent_reconnects_without_its_code(
    tmp_path: Path, script: Script, engine: Engine
) -> None:
    async def leave(line: ScriptConnection, hello: Hello) -> None:
        await line.send(Welcome(1))
        await line.send(state(7))
        await line.receive(Applied)

    script.talk = leave
    async with agent(tmp_path, script, engine, "CODE"):
        await eventually(lambda: len(script.hellos) > 1)
    first, second = script.hellos[:2]
    assert (first.code, first.epoch, first.revision) == ("CODE", "", 0)
    # The agent reports the newest state it has accepted.
    assert (second.code, second.epoch, second.revision) == (None, "one", 7)


async def test_older_states_are_ignored(tmp_path: Path, script: Script, engine: Engine) -> None:
    """A recorded state cannot be replayed."""
    applied: list[int] = []

    async def talk(line: ScriptConnection, hello: Hello) -> None:
        await line.send(Welcome(1, 0.05))
        for revision, epoch in ((9, "one"), (3, "one"), (2, "two"), (10, "one"), (4, "two")):
            await line.send(state(revision, epoch=epoch))
            if (revision, epoch) in ((9, "one"), (2, "two"), (4, "two")):
                applied.append((await line.receive(Applied)).revision)

    script.talk = talk
    async with agent(tmp_path, script, engine) as store:
        await script.finished()
        assert store.accepted_state() == AcceptedState("two", 4, ("one",))
    assert applied == [9, 2, 4]


async def test_agent_does_not_talk_to_other_server_at_same_address(
    tmp_path: Path, script: Script, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talking, "REJECTED_SECONDS", 0.1)
    async with agent(tmp_path, script, engine) as store:
        await eventually(lambda: script.hellos)
        before = len(script.hellos)
    script.identity = "impostor"
    applier = DesiredStateApplier(store, lambda: PathPolicy([], tmp_path, tmp_path))
    running = asyncio.create_task(Client(store, engine, applier).run())
    await asyncio.sleep(0.3)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert len(script.hellos) == before


def timed(script: Script, answer: Callable[[ScriptConnection], Awaitable[None]]) -> list[float]:
    """Record when the agent connects, and answer each time in the same way."""
    times: list[float] = []

    async def talk(line: ScriptConnection, hello: Hello) -> None:
        times.append(time.monotonic())
        await answer(line)

    script.talk = talk
    return times


async def test_rejected_agent_waits_before_retrying(
    tmp_path: Path, script: Script, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talking, "REJECTED_SECONDS", 1.0)
    times = timed(script, lambda line: line.send(Rejected("blocked")))
    async with agent(tmp_path, script, engine):
        await eventually(lambda: len(times) > 1)
    assert times[1] - times[0] >= 1.0


async def test_oversized_state_does_not_cause_reconnect_loop(
    tmp_path: Path, script: Script, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talking, "RECONNECT_FIRST_SECONDS", 0.05)

    async def answer(line: ScriptConnection) -> None:
        await line.send(Welcome(1))
        await line._socket.send(" " * (SERVER_MESSAGE_BYTES + 1))

    times = timed(script, answer)
    async with agent(tmp_path, script, engine):
        await eventually(lambda: len(times) > 5)
    # The delay doubles each time, and jitter removes at most half of it.
    assert times[5] - times[4] >= 0.4


async def test_unknown_message_only_closes_connection(
    tmp_path: Path, script: Script, engine: Engine
) -> None:
    async def talk(line: ScriptConnection, hello: Hello) -> None:
        await line._socket.send('{"type":"format","disk":"all"}')
        await line.receive(Applied)

    script.talk = talk
    async with agent(tmp_path, script, engine):
        await eventually(lambda: len(script.hellos) > 1)


def test_socket_url() -> None:
    assert (
        socket_url("http://localhost:8090", b"n")
        == "ws://localhost:8090/api/agent/ws?nonce=bg%3D%3D"
    )
    there = "wss://home.example/sync/api/agent/ws?nonce=bg%3D%3D"
    assert socket_url("https://home.example/sync/", b"n") == there
