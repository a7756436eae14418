"""The server proves its key to agents, replaces it, and makes agents follow again."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from quartet.kernel.startup import open_kernel
from quartet.kernel.vault import KEY_FILE
from quartet.sync.app import SERVICE
from quartet.sync.protocol import (
    Applied,
    DesiredState,
    Refused,
    SignedState,
    Welcome,
    decode_signed,
    is_signed,
    proves_key,
    server_fingerprint,
    split_code,
    state_payload,
    succeeds,
)
from quartet.sync.server_key.service import ServerKeys
from tests.sync.agent import Agent
from tests.sync.running_app import RunningApp, until

pytestmark = pytest.mark.anyio


async def test_challenge_and_states_are_signed(app: RunningApp) -> None:
    made = await app.post("/api/enrollments", {})
    agent = app.agent(nonce=True, trust="code")
    state = await joined(agent, made["code"])
    key = agent.challenge.server_key
    assert proves_key(agent.challenge, agent.nonce)
    assert split_code(made["code"])[1] == made["serverFingerprint"] == server_fingerprint(key)
    assert (await app.get("/api/server-key"))["fingerprint"] == server_fingerprint(key)
    folder = await app.folder()
    await app.share(folder["id"], 1, "/home/x/photos")
    while not state_of(state.state).folders:
        state = await agent.receive(SignedState)
        assert is_signed(key, state_payload(agent.public_key, state.state), state.signature)
    assert (await app.shown(1))["trust"] == "code"


async def test_older_agent_receives_unsigned_states(app: RunningApp) -> None:
    agent = app.agent()
    code = (await app.code())[:14]
    await agent.greet(code=code)
    await agent.receive(Welcome)
    await agent.receive(DesiredState)
    assert agent.challenge.server_key == b""
    assert (await app.shown(1))["trust"] == ""


async def test_replaced_key_is_signed_by_old_key(app: RunningApp) -> None:
    agent = app.agent(nonce=True)
    await joined(agent, await app.code())
    before = agent.challenge.server_key
    fingerprint = (await app.post("/api/server-key/rotate"))["fingerprint"]
    # The agent reconnects because the next state is signed with the new key.
    while True:
        state = await agent.receive(SignedState)
        if not is_signed(before, state_payload(agent.public_key, state.state), state.signature):
            break
    await joined(agent)
    assert agent.challenge.server_key != before
    assert succeeds(agent.challenge, before)
    assert server_fingerprint(agent.challenge.server_key) == fingerprint
    # A rotation of another server does not count.
    assert not succeeds(agent.challenge, agent.public_key)


async def test_key_is_encrypted_on_disk(tmp_path: Path) -> None:
    first = opened_keys(tmp_path)
    assert opened_keys(tmp_path).public_key == first.public_key
    assert stored_key(tmp_path).startswith(b"locked:")
    # An earlier version stored it unencrypted.
    plain = Ed25519PrivateKey.generate()
    with closing(sqlite3.connect(tmp_path / "sync.sqlite3")) as conn, conn:
        conn.execute("UPDATE server_keys SET private_key = ?", (plain.private_bytes_raw(),))
        conn.execute("PRAGMA user_version = 0")
    assert opened_keys(tmp_path).public_key == plain.public_key().public_bytes_raw()
    assert stored_key(tmp_path).startswith(b"locked:")
    for file in tmp_path.glob("sync.sqlite3*"):
        assert plain.private_bytes_raw() not in file.read_bytes()


async def test_server_starts_with_new_key_if_key_file_is_lost(tmp_path: Path) -> None:
    first = opened_keys(tmp_path)
    (tmp_path / "keys" / KEY_FILE).unlink()
    second = opened_keys(tmp_path)
    assert second.public_key != first.public_key
    assert opened_keys(tmp_path).public_key == second.public_key


def opened_keys(data: Path) -> ServerKeys:
    kernel = open_kernel(SERVICE, SERVICE.settings(data=data))
    try:
        return ServerKeys(kernel.db, "server")
    finally:
        kernel.db.close()


def stored_key(data: Path) -> bytes:
    with closing(sqlite3.connect(data / "sync.sqlite3")) as conn:
        [found] = conn.execute("SELECT private_key FROM server_keys ORDER BY number").fetchall()[-1]
        return bytes(found)


async def test_admin_makes_devices_follow_again(app: RunningApp) -> None:
    agent = app.agent(nonce=True)
    state = state_of((await joined(agent, await app.code())).state)
    await agent.say(Refused(state.epoch, state.revision, "epoch_left"))
    await until(lambda: _refusal(app, "epoch_left"))
    await app.post("/api/epochs")
    again = state
    # The server may have sent the first state twice.
    while again.epoch == state.epoch:
        again = state_of((await agent.receive(SignedState)).state)
    assert again.revision == state.revision
    await agent.say(Applied(again.revision))
    await until(lambda: _refusal(app, ""))
    await app.post("/api/server-key/rotate")
    audited = (await app.get("/api/system/audit"))["entries"]
    assert [each["event"] for each in audited][:2] == ["server_key_rotated", "epoch_begun"]


def state_of(text: str) -> DesiredState:
    state = decode_signed(text)
    assert isinstance(state, DesiredState)
    return state


async def _refusal(app: RunningApp, code: str) -> bool:
    return bool((await app.shown(1))["refusal"] == code)


async def joined(agent: Agent, code: str | None = None) -> SignedState:
    """Sign in with a nonce and return the first state."""
    await agent.greet(code=code)
    await agent.receive(Welcome)
    return await agent.receive(SignedState)
