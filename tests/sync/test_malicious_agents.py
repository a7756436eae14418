"""Malicious and cloned agents."""

from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from quartet.sync.protocol import (
    Applied,
    Status,
    Welcome,
)
from tests.sync.running_app import RunningApp

pytestmark = pytest.mark.anyio


async def test_hello_is_valid_for_one_socket(app: RunningApp) -> None:
    _, agent = await app.device()
    await agent.leave()
    await agent.dial()
    recorded = agent.hello()
    await agent.leave()
    await agent.dial()
    await agent.say(recorded)
    assert await agent.rejected() == "signature_invalid"
    # And only once on that socket.
    await agent.greet()
    await agent.receive(Welcome)
    await agent.say(agent.hello())
    assert await agent.rejected() == "bad_message"


async def test_relayed_hello_is_rejected(app: RunningApp) -> None:
    """The agent dialled another server, which relays our challenge and its answer."""
    _, agent = await app.device()
    await agent.leave()
    await agent.greet(address="evil.example:8090")
    assert await agent.rejected() == "wrong_address"
    await agent.dial()
    honest = agent.hello(address="evil.example:8090")
    forged = agent.hello(signature=honest.signature)
    await agent.say(forged)
    assert await agent.rejected() == "signature_invalid"


async def test_newer_of_two_agents_with_same_key_wins(app: RunningApp) -> None:
    device_id, agent = await app.device()
    clone = app.agent()
    clone.key, clone.engine = agent.key, agent.engine
    assert await clone.join() == device_id
    assert await agent.rejected() == "replaced"
    device = await app.shown(device_id)
    assert device["online"] is True
    folder = await app.folder()
    assert (await clone.state(2)).revision == 2
    assert folder["id"] == 1


NO_HELLO: list[str | bytes] = [
    "",
    "{}",
    "null",
    "[" * 3000,
    '{"type":"hello"}',
    '{"type":"status","folders":{}}',
    '{"type":"applied","revision":1}',
    '{"type":"status","folders":{"a":{"state":"idle","bytes":NaN}}}',
    '{"type":"hello","hostName":"' + "x" * 500_000 + '"}',
    b'{"type":"hello"}',
    b"\xff\xfe",
]


async def test_invalid_hello_closes_socket(app: RunningApp) -> None:
    for message in NO_HELLO:
        agent = app.agent()
        await agent.dial()
        await agent.socket.send(message)
        assert await agent.rejected() == "bad_message"


async def test_oversized_frame_closes_socket(app: RunningApp) -> None:
    agent = app.agent()
    await agent.dial()
    # Compression is not negotiated, so decompression bombs are impossible.
    assert "permessage-deflate" not in str(agent.socket.response)
    with suppress(ConnectionClosed):
        await agent.socket.send("x" * 10_000_000)
    await agent.socket.wait_closed()
    assert agent.socket.close_code == 1009
    assert await app.overview()


async def test_false_reports_are_rejected(app: RunningApp) -> None:
    device_id, agent = await app.device()
    folder = await app.folder()
    await agent.state(await app.share(folder["id"], device_id, "/a"))
    id = folder["engineFolderId"]
    lies = [
        f'{{"type":"status","folders":{{"{id}":{{"state":"idle","bytes":-1}}}}}}',
        f'{{"type":"status","folders":{{"{id}":{{"state":"happy"}}}}}}',
        '{"type":"applied","revision":-1}',
        '{"type":"applied","revision":3,"errors":[{"folderId":"a","code":"<b>"}]}',
    ]
    for lie in lies:
        await agent.socket.send(lie)
        assert await agent.rejected() == "bad_message"
        await agent.join()
    # Revisions that were never sent are ignored, and future ones close the connection.
    for never_sent in (1, 2, 999):
        await agent.say(Applied(never_sent))
    assert await agent.rejected() == "revision_not_sent"
    assert (await app.shown(device_id))["appliedRev"] == 0


async def test_message_flood_closes_socket(app: RunningApp) -> None:
    _, agent = await app.device()
    for _ in range(61):
        await agent.say(Status({}))
    assert await agent.rejected() == "too_many_messages"
