"""Pairing: by code, by approval, and joining again."""

import asyncio
import base64
import re
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from quartet.kernel.db import Tx
from quartet.kernel.startup import open_kernel
from quartet.sync.agents.pairing.types import AgentRejection
from quartet.sync.agents.pairing.waiting import WaitingList
from quartet.sync.app import SERVICE
from quartet.sync.cluster.bus import Bus
from quartet.sync.cluster.state import ClusterState
from quartet.sync.login.service import Login
from quartet.sync.protocol import EngineKey, Waiting, Welcome
from tests.sync.agent import Agent
from tests.sync.running_app import PASSWORD, RunningApp, running_app, until

pytestmark = pytest.mark.anyio


def approval(agent: Agent, **more: Any) -> dict[str, Any]:
    return {"publicKey": base64.b64encode(agent.public_key).decode(), **more}


async def waiting(app: RunningApp) -> list[str]:
    return [each["fingerprint"] for each in (await app.overview())["waiting"]]


async def test_devices_with_same_host_name_can_be_told_apart(app: RunningApp) -> None:
    for _ in range(3):
        await app.device()
    await app.device(host_name="laptop 2")
    names = [each["name"] for each in (await app.overview())["devices"]]
    assert sorted(names) == ["laptop", "laptop 2", "laptop 2 2", "laptop 3"]


async def test_code_pairs_one_device(app: RunningApp) -> None:
    made = await app.post("/api/enrollments", {"name": "Ada's laptop"})
    code = made["code"]
    assert re.fullmatch(r"([A-Z2-9]{4}-){5}[A-Z2-9]{4}", code)
    assert 895 < made["expiresAt"] - time.time() <= 900
    assert made["command"] == f"quartet agent join --server {app.url} {code}"
    assert await app.post("/api/enrollments/status", {"code": code}) == {"state": "pending"}

    device_id = await app.agent().join(code)
    used = {"state": "used", "deviceId": device_id}
    assert await app.post("/api/enrollments/status", {"code": code.lower()}) == used
    device = await app.shown(device_id)
    assert (device["name"], device["online"], device["approved"]) == ("Ada's laptop", True, True)

    late = app.agent()
    await late.greet(code=code)
    assert await late.rejected() == "code_invalid"


async def test_only_hash_of_code_is_stored(app: RunningApp, data: Path) -> None:
    code = await app.code()
    for file in data.iterdir():
        if file.is_file():
            content = file.read_bytes()
            assert code.encode() not in content
            assert code.replace("-", "").encode() not in content


async def test_code_expires_after_fifteen_minutes(app: RunningApp) -> None:
    code = await app.code()

    def expire(tx: Tx) -> None:
        tx.conn.execute(text("UPDATE enrollments SET expires_at = :now"), {"now": int(time.time())})

    await app.started.kernel.db.write(expire)
    agent = app.agent()
    await agent.greet(code=code)
    assert await agent.rejected() == "code_invalid"
    assert await app.post("/api/enrollments/status", {"code": code}) == {"state": "expired"}
    body = {"json": {"code": "NONE-NONE-NONE"}}
    assert await app.refused("POST", "/api/enrollments/status", **body) == (404, "code_not_found")


async def test_code_used_concurrently_pairs_one_device(app: RunningApp) -> None:
    code = await app.code()
    agents = [app.agent() for _ in range(8)]
    await asyncio.gather(*(agent.dial() for agent in agents))
    await asyncio.gather(*(agent.say(agent.hello(code=code)) for agent in agents))
    answers = await asyncio.gather(*(agent.socket.recv(decode=True) for agent in agents))
    assert sum('"welcome"' in answer for answer in answers) == 1
    assert sum('"code_invalid"' in answer for answer in answers) == 7
    assert len((await app.overview())["devices"]) == 1


async def test_code_guessing_is_rate_limited(app: RunningApp) -> None:
    """A hundred guesses from one address, fifty sockets at a time."""

    async def guess() -> str:
        agent = Agent(app.url)
        await agent.greet(code="AAAA-BBBB-CCCC")
        code = await agent.rejected()
        await agent.leave()
        return code

    codes = [code for _ in range(2) for code in await asyncio.gather(*(guess() for _ in range(50)))]
    assert codes.count("code_invalid") == 10
    assert codes.count("too_many_attempts") == 90


async def test_agent_without_code_waits_for_approval(app: RunningApp) -> None:
    agent = app.agent(host_name="Kü\u202eche\n<b>")
    await agent.greet()
    assert (await agent.receive(Waiting)).fingerprint == agent.fingerprint
    shown = (await app.overview())["waiting"][0]
    assert (shown["fingerprint"], shown["hostName"]) == (agent.fingerprint, "Küche <b>")

    path = f"/api/waiting/{agent.fingerprint}/approve"
    wrong = {"publicKey": base64.b64encode(bytes(32)).decode()}
    assert await app.refused("POST", path, json=wrong) == (404, "waiting_not_found")
    await app.post(path, approval(agent, name="Kitchen"))
    device_id = await agent.welcomed()
    assert (await app.shown(device_id))["name"] == "Kitchen"
    assert await waiting(app) == []
    kinds = [event["kind"] for event in await app.get("/api/events")]
    assert kinds == ["connected", "paired"]


async def test_rejected_key_stays_rejected_until_restart(data: Path) -> None:
    async with running_app(data) as app:
        agent = app.agent()
        await agent.greet()
        await agent.receive(Waiting)
        await app.post(f"/api/waiting/{agent.fingerprint}/reject")
        assert await agent.rejected() == "turned_away"
        await agent.greet()
        assert await agent.rejected() == "turned_away"
        gone = f"/api/waiting/{agent.fingerprint}/reject"
        assert await app.refused("POST", gone) == (404, "waiting_not_found")
    async with running_app(data) as app:
        agent.server = app.url
        app.agents.append(agent)
        await agent.greet()
        await agent.receive(Waiting)


async def test_disconnected_agent_leaves_waiting_list(app: RunningApp) -> None:
    agent = app.agent()
    await agent.greet()
    await agent.receive(Waiting)
    await agent.leave()

    async def nobody() -> bool:
        return await waiting(app) == []

    await until(nobody)


async def test_one_address_cannot_fill_waiting_list(app: RunningApp) -> None:
    agents = [app.agent() for _ in range(6)]
    for agent in agents:
        await agent.greet()
        if agent is not agents[-1]:
            await agent.receive(Waiting)
    assert await agents[-1].rejected() == "waiting_full"
    again = app.agent()
    again.key = agents[0].key
    await again.greet()
    await again.receive(Waiting)
    assert await agents[0].rejected() == "replaced"
    assert len(await waiting(app)) == 5


async def test_lan_pairing_accepts_only_lan_addresses(app: RunningApp) -> None:
    agent = app.agent()
    await agent.dial()
    cluster_state = ClusterState(Bus(app.started.kernel.events), single_server=True)
    for peer in ("192.168.1.5", "10.0.0.1", "127.0.0.1", "fe80::/64", "fd12:3456::/64", "::/64"):
        assert WaitingList(cluster_state).add(agent.hello(), peer).fingerprint == agent.fingerprint
    for peer in ("8.8.8.8", "2001:4860::/64", ""):
        with pytest.raises(AgentRejection, match="pairing_off"):
            WaitingList(cluster_state).add(agent.hello(), peer)


async def test_lan_pairing_can_be_disabled(data: Path) -> None:
    async with running_app(data, lan_pairing=False) as app:
        agent = app.agent()
        await agent.greet()
        assert await agent.rejected() == "pairing_off"
        assert await agent.join(await app.code()) == 1


async def test_joining_again_with_same_key_keeps_device(app: RunningApp) -> None:
    device_id, agent = await app.device()
    await agent.leave()
    code = await app.code()
    assert await agent.join(code) == device_id
    used = {"state": "used", "deviceId": device_id}
    assert await app.post("/api/enrollments/status", {"code": code}) == used
    await agent.leave()
    # The answer was lost, so the agent sends the used code again.
    assert await agent.join(code) == device_id


async def test_new_engine_of_known_device_is_accepted(app: RunningApp) -> None:
    device_id, agent = await app.device()
    await agent.leave()
    other_id, other = await app.device()
    assert other_id != device_id
    agent.engine = other.engine
    await agent.greet()
    assert await agent.rejected() == "engine_id_taken"
    agent.engine = Agent(app.url).engine
    assert await agent.join() == device_id
    assert (await app.shown(device_id))["engineId"] == agent.engine_id


async def test_engine_belongs_to_one_device(app: RunningApp) -> None:
    _, first = await app.device()
    code = await app.code()
    second = app.agent()
    second.engine = first.engine
    await second.greet(code=code)
    assert await second.rejected() == "engine_id_taken"
    assert await app.post("/api/enrollments/status", {"code": code}) == {"state": "pending"}
    await second.greet()
    assert await second.rejected() == "engine_id_taken"


async def test_invalid_engine_id_is_rejected(app: RunningApp) -> None:
    right = Agent(app.url).engine_id
    for wrong in ("-".join(["ABCDEF2"] * 8), right[:-1] + ("B" if right[-1] == "A" else "A")):
        agent = app.agent(engine_id=wrong)
        await agent.greet(code=await app.code())
        assert await agent.rejected() == "engine_id_invalid"


async def test_engine_of_other_device_cannot_be_claimed(app: RunningApp) -> None:
    """Engine ids are not secret: every peer knows them."""
    victim, thief = Agent(app.url), app.agent()
    code = await app.code()
    await thief.greet(code=code, engine_id=victim.engine_id)
    assert await thief.rejected() == "engine_id_unproven"
    # The certificate is not enough either, since every peer knows it as well.
    thief.engine = EngineKey(victim.engine.certificate, thief.engine.key)
    await thief.greet(code=code)
    assert await thief.rejected() == "engine_id_unproven"
    # Nor is a proof made for another agent.
    await thief.dial()
    victim.challenge = thief.challenge
    proof = victim.hello()
    stolen = {
        "engine_certificate": proof.engine_certificate,
        "engine_signature": proof.engine_signature,
    }
    await thief.say(msgspec.structs.replace(thief.hello(code=code), **stolen))
    assert await thief.rejected() == "engine_id_unproven"
    app.agents.append(victim)
    assert await victim.join(code)


async def test_blocked_device_is_disconnected_and_stays_blocked(app: RunningApp) -> None:
    device_id, agent = await app.device()
    await app.admin.patch(f"/api/devices/{device_id}", json={"blocked": True})
    assert await agent.rejected() == "blocked"
    assert (await app.shown(device_id))["online"] is False
    code = await app.code()
    for given in (None, code):
        await agent.greet(code=given)
        assert await agent.rejected() == "blocked"
    assert await app.post("/api/enrollments/status", {"code": code}) == {"state": "pending"}
    await app.admin.patch(f"/api/devices/{device_id}", json={"blocked": False})
    assert await agent.join() == device_id


async def test_removed_device_must_pair_again(app: RunningApp) -> None:
    device_id, agent = await app.device()
    assert (await app.admin.delete(f"/api/devices/{device_id}")).status_code == 204
    assert await agent.rejected() == "removed"
    await agent.greet()
    await agent.receive(Waiting)
    await app.post(f"/api/waiting/{agent.fingerprint}/approve", approval(agent))
    # Ids are never reused.
    assert (await agent.receive(Welcome)).device_id == device_id + 1


async def test_code_used_concurrently_on_postgresql(postgres_url: str, tmp_path: Path) -> None:
    """On PostgreSQL, writers really run concurrently."""
    kernel = open_kernel(SERVICE, SERVICE.settings(data=tmp_path, database_url=postgres_url))
    Login(kernel.db).set_password(PASSWORD)
    kernel.db.close()
    async with running_app(tmp_path, database_url=postgres_url) as app:
        code = await app.code()
        agents = [app.agent() for _ in range(6)]
        await asyncio.gather(*(agent.dial() for agent in agents))
        await asyncio.gather(*(agent.say(agent.hello(code=code)) for agent in agents))
        answers = await asyncio.gather(*(agent.socket.recv(decode=True) for agent in agents))
        assert sum('"welcome"' in answer for answer in answers) == 1
        await asyncio.gather(*(app.folder(f"Folder {number}") for number in range(6)))
        overview = await app.overview()
        assert (overview["revision"], len(overview["folders"])) == (7, 6)
