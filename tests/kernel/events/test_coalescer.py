import asyncio
import time

import msgspec
import pytest

from quartet.kernel.events import Coalescer, Event, EventHub
from tests.kernel.events.helpers import take

pytestmark = pytest.mark.anyio

INTERVAL = 0.5
# Longer than the test waits for an event.
NEVER = 600.0


class Progress(Event, frozen=True, tag="progress"):
    download: str
    percent: int


def percents(frames: list[bytes]) -> list[tuple[str, int]]:
    events = [msgspec.json.decode(data, type=Progress) for data in frames]
    return [(event.download, event.percent) for event in events]


async def test_first_event_is_published_at_once(hub: EventHub) -> None:
    progress = Coalescer(hub, NEVER)
    async with hub.subscribe() as events:
        progress.put("a", Progress("a", 0))
        progress.put("b", Progress("b", 0))
        frames = await take(events, 2)
    assert percents([frame.data for frame in frames]) == [("a", 0), ("b", 0)]


async def test_last_event_is_kept_until_end_of_interval(hub: EventHub) -> None:
    progress = Coalescer(hub, INTERVAL)
    async with hub.subscribe() as events:
        progress.put("a", Progress("a", 0))
        await take(events, 1)
        # The interval began when the first event was published, at the latest now.
        began = time.monotonic()
        for percent in range(1, 101):
            progress.put("a", Progress("a", percent))
        [frame] = await take(events, 1)
        assert time.monotonic() - began > INTERVAL * 0.5
    assert percents([frame.data]) == [("a", 100)]


async def test_coalescer_publishes_at_fixed_rate(hub: EventHub) -> None:
    progress = Coalescer(hub, INTERVAL)
    async with hub.subscribe() as events:
        began = time.monotonic()
        seen = 0
        while seen < 3:
            progress.put("a", Progress("a", 1))
            seen += len(await events.batch(0.001))
        assert seen <= (time.monotonic() - began) / INTERVAL + 2


async def test_first_event_after_quiet_period_is_published_at_once(hub: EventHub) -> None:
    progress = Coalescer(hub, INTERVAL)
    async with hub.subscribe() as events:
        progress.put("a", Progress("a", 1))
        await take(events, 1)
        while progress._timer is not None:
            await asyncio.sleep(0.01)
        progress._interval = NEVER
        progress.put("a", Progress("a", 2))
        [frame] = await take(events, 1)
    assert percents([frame.data]) == [("a", 2)]


async def test_forgotten_event_is_not_published(hub: EventHub) -> None:
    progress = Coalescer(hub, INTERVAL)
    async with hub.subscribe() as events:
        progress.put("a", Progress("a", 1))
        await anext(events)
        progress.put("a", Progress("a", 2))
        progress.put("b", Progress("b", 2))
        progress.forget("a")
        progress.flush()
        await asyncio.sleep(0)
        assert percents([(await anext(events)).data]) == [("b", 2)]
        assert await events.batch(INTERVAL * 2) == []
