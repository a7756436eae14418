import asyncio

import pytest
from redis.asyncio import Redis

from quartet.kernel.auth import Throttle
from quartet.kernel.errors import AppError
from tests.real_servers import free_port


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.anyio
async def test_throttle_allows_ten_failures_per_minute() -> None:
    clock = Clock()
    throttle = Throttle(clock=clock)
    for _ in range(10):
        await throttle.attempt("ada")
        clock.now += 1
    with pytest.raises(AppError) as refused:
        await throttle.attempt("ada")
    assert (refused.value.status, refused.value.inputs) == (429, {"seconds": 50})
    clock.now = 60.0
    await throttle.attempt("ada")


@pytest.mark.anyio
async def test_success_does_not_count_and_forgives_nothing() -> None:
    throttle = Throttle(limit=2, clock=Clock())
    for _ in range(5):
        await throttle.attempt("ada")
        await throttle.passed("ada")
    await throttle.attempt("ada")
    await throttle.attempt("ada")
    with pytest.raises(AppError):
        await throttle.attempt("ada")


@pytest.mark.anyio
async def test_throttle_memory_is_bounded() -> None:
    throttle = Throttle(keys=100, clock=Clock())
    for number in range(10_000):
        await throttle.attempt(str(number))
    assert len(throttle._attempts) == 100


@pytest.mark.anyio
async def test_processes_share_throttle_counters_through_redis(redis_url: str) -> None:
    async with Redis.from_url(redis_url) as here, Redis.from_url(redis_url) as there:
        one = Throttle(limit=3, window=60, name="together", redis=here)
        other = Throttle(limit=3, window=60, name="together", redis=there)
        await one.attempt("ada")
        await other.attempt("ada")
        await one.failed("ada")
        for each in (one, other):
            with pytest.raises(AppError) as refused:
                await each.attempt("ada")
            assert 0 < int(str(refused.value.inputs["seconds"])) <= 60
            with pytest.raises(AppError):
                await each.check("ada")
            await each.attempt("bob")
        await other.passed("ada")
        await one.attempt("ada")
        with pytest.raises(AppError):
            await other.attempt("ada")


@pytest.mark.anyio
async def test_shared_throttle_counters_expire(redis_url: str) -> None:
    async with Redis.from_url(redis_url) as redis:
        throttle = Throttle(limit=1, window=0.2, name="short", redis=redis)
        await throttle.attempt("ada")
        with pytest.raises(AppError):
            await throttle.attempt("ada")
        while await redis.exists(*await redis.keys("quartet-throttle-short-*") or ["none"]):
            await asyncio.sleep(0.02)
        await throttle.attempt("ada")


@pytest.mark.anyio
async def test_throttle_counts_per_process_without_redis() -> None:
    async with Redis.from_url(f"redis://127.0.0.1:{free_port()}") as redis:
        throttle = Throttle(limit=1, name="alone", redis=redis)
        await throttle.attempt("ada")
        with pytest.raises(AppError):
            await throttle.attempt("ada")
