import asyncio
import time

import msgspec
import pytest

from quartet.kernel.events import Coalescer, Event, EventHub

pytestmark = pytest.mark.anyio

INTERVAL = 0.5


class Progress(Event, frozen=True, tag="progress"):
    download: str
    percent: int


def percents(frames: list[bytes]) -> list[tuple[str, int]]:
    events = [msgspec.json.decode(data, type=Progress) for data in frames]
    return [(event.download, event.percent) for event in events]


async def test_first_event_is_published_at_once_and_last_is_kept(hub: EventHub) -> None:
    progress = Coalescer(hub, INTERVAL)
    async with hub.subscribe() as events:
        began = time.perf_counter()
        progress.put("a", Progress("a", 0))
        progress.put("b", Progress("b", 0))
        frames = [await anext(events), await anext(events)]
        assert time.perf_counter() - began < INTERVAL / 2
        for percent in range(1, 101):
            progress.put("a", Progress("a", percent))
        frames.append(await anext(events))
        assert time.perf_counter() - began > INTERVAL * 0.9
    assert percents([frame.data for frame in frames]) == [("a", 0), ("b", 0), ("a", 100)]


async def test_coalescer_publishes_at_fixed_rate(hub: EventHub) -> None:
    progress = Coalescer(hub, INTERVAL)
    async with hub.subscribe() as events:
        began = time.perf_counter()
        seen = 0
        while time.perf_counter() - began < INTERVAL * 3.5:
            progress.put("a", Progress("a", 1))
            seen += len(await events.batch(0.001))
    assert 2 <= seen <= 5


async def test_first_event_after_quiet_period_is_published_at_once(hub: EventHub) -> None:
    progress = Coalescer(hub, INTERVAL)
    async with hub.subscribe() as events:
        progress.put("a", Progress("a", 1))
        await anext(events)
        assert await events.batch(INTERVAL * 1.5) == []
        began = time.perf_counter()
        progress.put("a", Progress("a", 2))
        await anext(events)
        assert time.perf_counter() - began < INTERVAL / 2


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
