"""Agents that mean harm, or were copied."""

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


async def test_case_1_a_hello_is_good_for_one_socket(app: RunningApp) -> None:
    _, agent = await app.device()
    await agent.leave()
    await agent.dial()
    recorded = agent.hello()
    await agent.leave()
    await agent.dial()
    await agent.say(recorded)
    assert await agent.rejected() == "signature_invalid"
    # And once on that socket.
    await agent.greet()
    await agent.receive(Welcome)
    await agent.say(agent.hello())
    assert await agent.rejected() == "bad_message"


async def test_case_1_a_server_in_between_cannot_pass_a_hello_on(app: RunningApp) -> None:
    """The agent dialled somebody else, who hands it our challenge and us its answer."""
    _, agent = await app.device()
    await agent.leave()
    await agent.greet(address="evil.example:8090")
    assert await agent.rejected() == "wrong_address"
    await agent.dial()
    honest = agent.hello(address="evil.example:8090")
    forged = agent.hello(signature=honest.signature)
    await agent.say(forged)
    assert await agent.rejected() == "signature_invalid"


async def test_case_2_of_two_with_one_key_the_newer_stays(app: RunningApp) -> None:
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


async def test_case_4_what_is_no_hello_ends_the_socket(app: RunningApp) -> None:
    for message in NO_HELLO:
        agent = app.agent()
        await agent.dial()
        await agent.socket.send(message)
        assert await agent.rejected() == "bad_message"


async def test_case_4_a_frame_too_large_and_compression(app: RunningApp) -> None:
    agent = app.agent()
    await agent.dial()
    # Not even agreed upon, so there is no bomb to unpack.
    assert "permessage-deflate" not in str(agent.socket.response)
    with suppress(ConnectionClosed):
        await agent.socket.send("x" * 10_000_000)
    await agent.socket.wait_closed()
    assert agent.socket.close_code == 1009
    assert await app.overview()


async def test_case_10_lies_are_refused(app: RunningApp) -> None:
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
    # What it was never sent is not believed; what does not exist yet is a reason to end it.
    for never_sent in (1, 2, 999):
        await agent.say(Applied(never_sent))
    assert await agent.rejected() == "revision_not_sent"
    assert (await app.shown(device_id))["appliedRev"] == 0


async def test_case_10_a_flood_ends_the_socket(app: RunningApp) -> None:
    _, agent = await app.device()
    for _ in range(61):
        await agent.say(Status({}))
    assert await agent.rejected() == "too_many_messages"
