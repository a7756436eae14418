"""An agent follows only the server whose key it has pinned."""

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace
from websockets.asyncio.server import serve

from quartet.sync.agent import client as talking
from quartet.sync.agent.errors import AgentError
from quartet.sync.agent.joining import join
from quartet.sync.agent.store import Store
from quartet.sync.engine import Engine
from quartet.sync.protocol import (
    Applied,
    Hello,
    Refused,
    Welcome,
    new_code,
    server_fingerprint,
    sign_rotation,
)
from tests.sync.engines import eventually, program
from tests.sync.scripted_server import Script, ScriptConnection, agent, public, state

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
async def script(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Script]:
    monkeypatch.setattr(talking, "REJECTED_SECONDS", 0.05)
    monkeypatch.setattr(talking, "RECONNECT_FIRST_SECONDS", 0.05)
    made = Script()
    made.key = Ed25519PrivateKey.generate()
    made.talk = follow(made)
    async with serve(made.serve, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        made.url = f"http://127.0.0.1:{port}"
        yield made


def follow(script: Script, revision: int = 1) -> Any:
    """Return a conversation in which the agent applies a signed state; then the server hangs up."""

    async def talk(line: ScriptConnection, hello: Hello) -> None:
        await line.send(Welcome(1))
        await line.send(script.signed(hello, state(revision)))
        assert (await line.receive(Applied)).revision == revision

    return talk


def code_of(script: Script) -> str:
    assert script.key is not None
    return new_code(public(script.key))


async def test_rogue_server_at_same_address_receives_nothing(
    tmp_path: Path, script: Script, engine: Engine
) -> None:
    async with agent(tmp_path, script, engine, code_of(script)) as store:
        await script.finished()
        assert script.key is not None
        assert (store.joined().server_key, store.joined().trust) == (public(script.key), "code")
        assert script.hellos[0].trust == "code"
        for rogue in (Ed25519PrivateKey.generate(), None):
            script.key = rogue
            # A connection may have been opened just before.
            seen = script.dials + 2
            await eventually(lambda seen=seen: script.dials > seen)
            script.hellos.clear()
            seen = script.dials + 2
            await eventually(lambda seen=seen: script.dials > seen)
            assert script.hellos == []


async def test_states_that_are_not_signed_for_device_are_ignored(
    tmp_path: Path, script: Script, engine: Engine
) -> None:
    """A man in the middle changes the states of the real server."""
    wanted = state(7, ("stolen", tmp_path / "stolen"))
    forged = iter(("unsigned", "another key", "another device", "changed"))

    async def talk(line: ScriptConnection, hello: Hello) -> None:
        how = next(forged, None)
        if how is None:
            await follow(script, 8)(line, hello)
            return
        await line.send(Welcome(1))
        other = Script()
        other.key = Ed25519PrivateKey.generate()
        stranger = replace(hello, public_key=public(other.key))
        signed = script.signed(hello, wanted)
        messages = {
            "unsigned": wanted,
            "another key": other.signed(hello, wanted),
            "another device": script.signed(stranger, wanted),
            "changed": replace(signed, state=signed.state.replace("stolen", "robbed")),
        }
        await line.send(messages[how])
        await line.closed()

    script.talk = talk
    async with agent(tmp_path, script, engine, code_of(script)) as store:
        await eventually(lambda: store.accepted_state().revision)
        assert store.accepted_state().revision == 8
    assert not (tmp_path / "stolen").exists()


async def test_agent_follows_replaced_key(tmp_path: Path, script: Script, engine: Engine) -> None:
    async with agent(tmp_path, script, engine, code_of(script)) as store:
        await script.finished()
        assert script.key is not None
        keys = [script.key, Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()]
        script.rotations = [
            sign_rotation(old, script.identity, public(new)) for old, new in pairwise(keys)
        ]
        script.key, script.talk = keys[-1], follow(script, 2)
        await eventually(lambda: store.accepted_state().revision == 2)
        assert store.joined().server_key == public(keys[-1])


async def test_agent_joined_before_pins_key_at_first_contact(
    tmp_path: Path, script: Script, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    key, script.key = script.key, None
    assert key is not None

    async def old_server(line: ScriptConnection, _hello: Hello) -> None:
        await line.send(Welcome(1))
        await line.send(state(1))
        await line.receive(Applied)

    script.talk = old_server
    async with agent(tmp_path, script, engine, "CODE-1234") as store:
        await eventually(lambda: store.accepted_state().revision == 1)
        assert (store.joined().server_key, script.hellos[0].trust) == (None, "")
        script.key, script.talk = key, follow(script, 2)
        await eventually(lambda: store.accepted_state().revision == 2)
        assert store.joined().server_key == public(key)
        await eventually(lambda: script.hellos[-1].trust == "first_contact")
    assert server_fingerprint(public(key)) in caplog.text


async def test_join_fails_if_code_contains_another_key(tmp_path: Path, script: Script) -> None:
    code = new_code(public(Ed25519PrivateKey.generate()))
    with pytest.raises(AgentError, match="another key"):
        await asyncio.to_thread(join, tmp_path / "agent", script.url, code, [], None)
    with pytest.raises(AgentError, match="not joined"):
        Store(tmp_path / "agent").joined()


async def test_agent_reports_that_it_does_not_follow(
    tmp_path: Path, script: Script, engine: Engine
) -> None:
    async def talk(line: ScriptConnection, hello: Hello) -> None:
        await line.send(Welcome(1))
        for epoch in ("one", "two"):
            await line.send(script.signed(hello, state(5, epoch=epoch)))
            await line.receive(Applied)
        # The first server is back after another copy of it was in use.
        await line.send(script.signed(hello, state(9, epoch="one")))
        assert await line.receive(Refused) == Refused("one", 9, "epoch_left")
        await line.send(script.signed(hello, state(4, epoch="two")))
        assert await line.receive(Refused) == Refused("two", 4, "revision_outdated")
        await line.send(script.signed(hello, state(9, epoch="three")))
        assert (await line.receive(Applied)).revision == 9

    script.talk = talk
    async with agent(tmp_path, script, engine, code_of(script)):
        await script.finished()
