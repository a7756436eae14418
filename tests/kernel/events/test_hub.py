"""Event delivery to listeners, with every backend."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from quartet.kernel.events import EventHub, Transport, backend_from_url
from tests.kernel.events.helpers import Note, notes, take

pytestmark = pytest.mark.anyio

TransportMaker = Callable[[], Transport]


@asynccontextmanager
async def running(
    transport: Transport, history: int = 1024, queue: int = 256
) -> AsyncIterator[EventHub]:
    hub = EventHub(transport, history=history, queue=queue)
    await hub.start()
    try:
        yield hub
    finally:
        await hub.stop()


@asynccontextmanager
async def two_processes(make_transport: TransportMaker) -> AsyncIterator[tuple[EventHub, EventHub]]:
    """Two hubs on one backend; with the memory backend both are the same hub."""
    own, other = make_transport(), make_transport()
    async with running(own) as here:
        if other is own:
            yield here, here
        else:
            async with running(other) as there:
                yield here, there


async def test_every_listener_receives_every_event_in_order(make_transport: TransportMaker) -> None:
    async with (
        two_processes(make_transport) as (here, there),
        here.subscribe() as near,
        there.subscribe() as far,
    ):
        for number in range(50):
            here.publish(Note(number, text="Grüße,\n\0 Welt"))
        near_frames, far_frames = await take(near, 50), await take(far, 50)
    assert notes(near_frames) == notes(far_frames) == list(range(50))
    assert near_frames == far_frames
    assert len({frame.id for frame in near_frames}) == 50


async def test_frame_contains_sse_encoding(make_transport: TransportMaker) -> None:
    async with running(make_transport()) as hub, hub.subscribe() as events:
        hub.publish(Note(1, text="a\nb"))
        [frame] = await take(events, 1)
    data = rb'{"type":"note.added","noteId":1,"text":"a\nb"}'
    assert (frame.type, frame.data) == ("note.added", data)
    assert frame.sse == b"id: %b\nevent: note.added\ndata: %b\n\n" % (frame.id.encode(), data)


async def test_all_processes_see_the_same_order(make_transport: TransportMaker) -> None:
    async with (
        two_processes(make_transport) as (here, there),
        here.subscribe() as near,
        there.subscribe() as far,
    ):
        for number in range(20):
            here.publish(Note(number))
            there.publish(Note(100 + number))
            await asyncio.sleep(0)
        assert await take(near, 40) == await take(far, 40)


async def test_reconnect_to_other_process_receives_missed_events(
    make_transport: TransportMaker,
) -> None:
    async with two_processes(make_transport) as (here, there):
        async with here.subscribe() as events, there.subscribe() as witness:
            for number in range(5):
                here.publish(Note(number))
            seen = await take(events, 2)
            await take(witness, 5)
        async with there.subscribe(seen[-1].id) as events:
            here.publish(Note(5))
            assert notes(await take(events, 4)) == [2, 3, 4, 5]


async def test_reconnect_before_first_event_misses_nothing(
    make_transport: TransportMaker,
) -> None:
    async with running(make_transport()) as hub:
        async with hub.subscribe() as events:
            position = events.position
        async with hub.subscribe() as witness:
            hub.publish(Note(1))
            await take(witness, 1)
        async with hub.subscribe(position) as events:
            assert notes(await take(events, 1)) == [1]


async def test_unknown_last_id_gets_exactly_one_resync(make_transport: TransportMaker) -> None:
    async with running(make_transport()) as hub, hub.subscribe("gone-1") as events:
        hub.publish(Note(1))
        hub.publish(Note(2))
        frames = await take(events, 3)
        assert [frame.type for frame in frames] == ["resync", "note.added", "note.added"]
        async with hub.subscribe(frames[0].id) as again:
            assert notes(await take(again, 2)) == [1, 2]


async def test_event_history_is_bounded(make_transport: TransportMaker) -> None:
    async with running(make_transport(), history=3) as hub:
        async with hub.subscribe() as events:
            for number in range(6):
                hub.publish(Note(number))
            frames = await take(events, 6)
        async with hub.subscribe(frames[1].id) as events:
            assert [frame.type for frame in await take(events, 1)] == ["resync"]
        async with hub.subscribe(frames[2].id) as events:
            assert notes(await take(events, 3)) == [3, 4, 5]


async def test_slow_listener_gets_resync_without_delaying_others(
    make_transport: TransportMaker,
) -> None:
    async with (
        running(make_transport(), queue=4) as hub,
        hub.subscribe() as slow,
        hub.subscribe() as quick,
    ):
        for number in range(5):
            hub.publish(Note(number))
            assert notes(await take(quick, 1)) == [number]
        hub.publish(Note(5))
        await take(quick, 1)
        frames = await take(slow, 2)
        assert frames[0].type == "resync"
        assert notes(frames[1:]) == [5]


async def test_close_ends_all_streams(make_transport: TransportMaker) -> None:
    async with running(make_transport()) as hub:

        async def listen() -> int:
            async with hub.subscribe() as events:
                return len([frame async for frame in events])

        listeners = [asyncio.create_task(listen()) for _ in range(10)]
        while hub.streams < 10:
            await asyncio.sleep(0)
        hub.close()
        async with asyncio.timeout(60):
            assert await asyncio.gather(*listeners) == [0] * 10
            assert await listen() == 0
        assert hub.streams == 0


async def test_end_closes_only_one_stream(make_transport: TransportMaker) -> None:
    async with running(make_transport()) as hub, hub.subscribe() as one, hub.subscribe() as other:
        one.end()
        hub.publish(Note(1))
        assert [frame async for frame in one] == []
        assert notes(await take(other, 1)) == [1]


async def test_batch_returns_all_waiting_frames(make_transport: TransportMaker) -> None:
    async with running(make_transport()) as hub, hub.subscribe() as events:
        assert await events.batch(0.001) == []
        async with hub.subscribe() as witness:
            for number in range(3):
                hub.publish(Note(number))
            await take(witness, 3)
        assert notes(await events.batch()) == [0, 1, 2]


async def test_publish_threadsafe_works_from_any_thread(make_transport: TransportMaker) -> None:
    async with running(make_transport()) as hub, hub.subscribe() as events:
        thread = threading.Thread(target=hub.publish_threadsafe, args=[Note(7)])
        thread.start()
        assert notes(await take(events, 1)) == [7]
        thread.join()


# A single process does not receive its own events after its stop.
@pytest.mark.parametrize("make_transport", ["redis", "postgres"], indirect=True)
async def test_events_published_before_stop_reach_other_processes(
    make_transport: TransportMaker,
) -> None:
    own, other = make_transport(), make_transport()
    async with running(own) as there, there.subscribe() as events:
        here = EventHub(other)
        await here.start()
        here.publish(Note(1))
        await here.stop()
        assert notes(await take(events, 1)) == [1]


async def test_event_too_large_for_backend_becomes_resync(postgres_url: str) -> None:
    transport = backend_from_url(postgres_url, "too_large")
    async with running(transport) as hub, hub.subscribe() as events:
        hub.publish(Note(1, text="ä" * 8000))
        hub.publish(Note(2, text="ä" * 3900))
        frames = await take(events, 2)
        assert frames[0].type == "resync"
        assert notes(frames[1:]) == [2]


async def test_burst_larger_than_one_message_arrives_complete(postgres_url: str) -> None:
    transport = backend_from_url(postgres_url, "burst")
    async with running(transport) as hub, hub.subscribe() as events:
        for number in range(200):
            hub.publish(Note(number, text="x" * 500))
        assert notes(await take(events, 200)) == list(range(200))


async def test_publish_before_start_and_after_stop_is_ignored() -> None:
    hub = EventHub(backend_from_url(None, "test"))
    hub.publish(Note(1))
    hub.publish_threadsafe(Note(2))
    await hub.start()
    await hub.stop()
    hub.publish(Note(3))
    await hub.stop()


def test_unknown_backend_url_is_rejected() -> None:
    with pytest.raises(ValueError, match="mysql"):
        backend_from_url("mysql://127.0.0.1", "test")


async def test_wait_closed_returns_when_hub_closes() -> None:
    hub = EventHub(backend_from_url(None, "x"))
    waiting = asyncio.create_task(hub.wait_closed())
    await asyncio.sleep(0)
    assert not waiting.done()
    hub.close()
    await asyncio.wait_for(waiting, 60)
