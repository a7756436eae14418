"""Two control servers on one database act as one server for agents and users."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import psycopg
import pytest
import redis

from quartet.sync.protocol import (
    Applied,
    FolderError,
    FolderStatus,
    Status,
    Waiting,
    Welcome,
)
from tests.client import NO_AUTHORITIES
from tests.sync.agent import Agent
from tests.sync.processes import PASSWORD, Server
from tests.sync.processes import until as until_now
from tests.sync.two_servers import Pair, at, shown, two_servers

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def pair(postgres: str, redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute("CREATE DATABASE two_servers")
    database = postgres.removesuffix("postgres") + "two_servers"
    folder = tmp_path_factory.mktemp("two")
    with two_servers(folder, database, REDIS_URL=redis_url, SYNC_HUB="false") as both:
        yield both


async def until(check: Any, seconds: float = 10) -> Any:
    return await asyncio.to_thread(until_now, check, seconds)


async def joined(server: Server, name: str, code_from: Server | None = None) -> tuple[int, Agent]:
    code = (code_from or server).post("/api/enrollments", {"name": name})["code"]
    agent = Agent(server.url)
    return await agent.join(code), agent


def share(server: Server, folder: int, device: int, path: str) -> int:
    row = {"folderId": folder, "deviceId": device, "mode": "both", "path": path}
    revision: int = server.post("/api/shares", {"changes": [row]})["revision"]
    return revision


async def test_change_reaches_agents_of_both_servers(pair: Pair) -> None:
    first, second = pair
    here_id, here = await joined(first, "here")
    # The code was created at the other server.
    there_id, there = await joined(second, "there", code_from=first)
    folder = first.post("/api/folders", {"label": "Photos"})
    share(first, folder["id"], here_id, "/a")
    revision = share(second, folder["id"], there_id, "/b")
    states = [await agent.state(revision) for agent in (here, there)]
    assert [state.folders[0].path for state in states] == ["/a", "/b"]
    # Otherwise an agent that moves to the other server would refuse its states.
    assert states[0].epoch == states[1].epoch
    assert first.get("/api/overview")["shares"] == second.get("/api/overview")["shares"]
    for agent in (here, there):
        await agent.leave()


async def test_agent_reports_are_shown_at_both_servers(pair: Pair) -> None:
    first, _ = pair
    device, agent = await joined(first, "teller")
    folder = first.post("/api/folders", {"label": "Reported"})
    revision = share(first, folder["id"], device, "/told")
    await agent.state(revision)
    ident = folder["engineFolderId"]
    await agent.say(Applied(revision, [FolderError(ident, "path_missing", {"path": "/told"})]))
    await agent.say(Status({ident: FolderStatus("syncing", files=3)}))

    def status(server: Server) -> Any:
        return server.get("/api/status")["devices"].get(str(device))

    for server in pair:
        await until(lambda server=server: shown(server, device)["appliedRev"] == revision)
        await until(lambda server=server: status(server)["folders"])
        assert shown(server, device)["online"]
        assert shown(server, device)["errors"][0]["code"] == "path_missing"
        assert status(server)["folders"][str(folder["id"])]["files"] == 3
    await agent.leave()
    for server in pair:
        await until(lambda server=server: not shown(server, device)["online"])
        assert status(server) == {"online": False, "folders": {}}


async def test_sign_out_applies_to_both_servers(pair: Pair) -> None:
    first, second = pair
    with httpx.Client(timeout=60, verify=NO_AUTHORITIES) as browser:
        answer = browser.post(f"{first.url}/api/login", json={"password": PASSWORD}).json()

        def asked() -> int:
            return browser.get(f"{second.url}/api/overview").status_code

        cookies = dict(browser.cookies)
        assert asked() == 200
        headers = {"X-CSRF-Token": answer["csrfToken"]}
        browser.post(f"{first.url}/api/logout", headers=headers).raise_for_status()
        browser.cookies.update(cookies)
        # Sooner than the session cache expires.
        await until(lambda: asked() == 401, seconds=3)


async def test_wrong_passwords_count_across_servers(pair: Pair, redis_url: str) -> None:
    def guess(number: int) -> int:
        address = f"{pair[number % 2].url}/api/login"
        return httpx.post(address, json={"password": "wrong"}, verify=NO_AUTHORITIES).status_code

    try:
        assert [guess(number) for number in range(12)] == [401] * 10 + [429] * 2
    finally:
        # All tests use the same client address.
        with redis.from_url(redis_url) as counters:
            counters.flushall()


async def test_newer_of_two_sockets_wins(pair: Pair) -> None:
    first, second = pair
    device, agent = await joined(first, "wanderer")
    for server, other in ((second, first), (first, second)):
        newer = at(server, agent)
        assert await newer.join() == device
        assert await agent.rejected() == "replaced"
        assert shown(server, device)["online"]
        await until(lambda other=other: shown(other, device)["online"])
        agent = newer
    await agent.leave()
    for server in pair:
        await until(lambda server=server: not shown(server, device)["online"])


async def test_blocked_device_is_disconnected_by_other_server(pair: Pair) -> None:
    first, second = pair
    device, agent = await joined(second, "blocked")
    first.api.patch(f"/api/devices/{device}", json={"blocked": True}).raise_for_status()
    assert await agent.rejected() == "blocked"
    assert second.api.delete(f"/api/devices/{device}").is_success


async def test_waiting_agent_is_approved_at_other_server(pair: Pair) -> None:
    first, second = pair
    agent = Agent(first.url)
    await agent.greet()
    await agent.receive(Waiting)

    def waiting() -> Any:
        return second.get("/api/overview")["waiting"]

    [found] = await until(waiting)
    assert found["fingerprint"] == agent.fingerprint
    body = {"publicKey": found["publicKey"], "name": "let in"}
    second.post(f"/api/waiting/{agent.fingerprint}/approve", body)
    device = (await agent.receive(Welcome)).device_id
    # The device is known at every server at once, even before the event arrives.
    again = at(second, agent)
    await again.join()
    assert shown(second, device)["name"] == "let in"
    assert await agent.rejected() == "replaced"
    await until(lambda: not waiting())
    await again.leave()


async def test_rejection_applies_to_both_servers(pair: Pair) -> None:
    first, second = pair
    agent = Agent(first.url)
    await agent.greet()
    await agent.receive(Waiting)
    await until(lambda: second.get("/api/overview")["waiting"])
    second.post(f"/api/waiting/{agent.fingerprint}/reject", None)
    assert await agent.rejected() == "turned_away"

    async def again() -> str:
        other = at(second, agent)
        await other.greet()
        try:
            return await asyncio.wait_for(other.rejected(), 1)
        except TimeoutError:
            await other.leave()
            return ""

    while await again() != "turned_away":
        pass


async def test_concurrent_changes_at_both_servers_are_kept(pair: Pair) -> None:
    _, agent = await joined(pair[1], "witness")

    def add(number: int) -> None:
        pair[number % 2].api.post("/api/folders", json={"label": f"n{number}"}).raise_for_status()

    before = pair[0].get("/api/overview")["revision"]
    await asyncio.gather(*(asyncio.to_thread(add, number) for number in range(16)))
    state = await agent.state(before + 16)
    assert state.revision == before + 16
    for server in pair:
        await until(lambda server=server: server.get("/api/overview")["revision"] == before + 16)
        labels = [each["label"] for each in server.get("/api/overview")["folders"]]
        assert sorted(each for each in labels if each[0] == "n") == sorted(
            f"n{number}" for number in range(16)
        )
    revisions = [each["revision"] for each in pair[1].get("/api/revisions")]
    assert len(revisions) == len(set(revisions))
    await agent.leave()
