"""Outages of the event backend."""

import asyncio

import psycopg
import pytest

from quartet.kernel.events import EventHub, Subscription, backend_from_url
from tests.kernel.events.helpers import Note, RestartableRedis, notes, take

pytestmark = pytest.mark.anyio


async def until_resync(events: Subscription) -> None:
    async with asyncio.timeout(60):
        async for frame in events:
            if frame.type == "resync":
                return


async def expect_event(events: Subscription, hub: EventHub, number: int) -> None:
    """Wait until publishing works again; resyncs of other processes may still arrive."""
    hub.publish(Note(number))
    async with asyncio.timeout(60):
        async for frame in events:
            if frame.type != "resync" and notes([frame]) == [number]:
                return


async def test_hub_recovers_from_redis_restart(own_redis: RestartableRedis) -> None:
    here, there = (EventHub(backend_from_url(own_redis.url, "restart")) for _ in range(2))
    await here.start()
    await there.start()
    async with here.subscribe() as near, there.subscribe() as far:
        own_redis.stop()
        for number in range(500):
            here.publish(Note(number))
        await until_resync(near)
        await until_resync(far)

        here.publish(Note(1000))
        assert notes(await take(near, 1)) == [1000]

        own_redis.start()
        await until_resync(near)
        await until_resync(far)
        await expect_event(far, here, 1001)
        await expect_event(near, there, 1002)
    await here.stop()
    await there.stop()


async def test_hub_starts_without_redis_and_connects_later(own_redis: RestartableRedis) -> None:
    own_redis.stop()
    hub = EventHub(backend_from_url(own_redis.url, "late"))
    async with asyncio.timeout(60):
        await hub.start()
    async with hub.subscribe() as events:
        hub.publish(Note(1))
        assert notes(await take(events, 1)) == [1]
        own_redis.start()
        await until_resync(events)
        await expect_event(events, hub, 2)
    await hub.stop()


async def test_stop_during_outage_is_quick(own_redis: RestartableRedis) -> None:
    hub = EventHub(backend_from_url(own_redis.url, "stop"))
    await hub.start()
    own_redis.stop()
    hub.publish(Note(1))
    async with asyncio.timeout(60):
        await hub.stop()


async def test_hub_recovers_from_lost_postgres_connection(postgres_url: str) -> None:
    hub = EventHub(
        backend_from_url(postgres_url.replace("postgresql:", "postgresql+psycopg:"), "cut")
    )
    await hub.start()
    async with hub.subscribe() as events:
        with psycopg.connect(postgres_url) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE query LIKE 'LISTEN \"cut\"%'"
            )
        await until_resync(events)
        await until_resync(events)
        await expect_event(events, hub, 1)
    await hub.stop()
