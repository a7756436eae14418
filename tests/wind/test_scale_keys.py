"""Several processes use the same keys, also after one of them has renewed its own."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from quartet.kernel.push.service import Push
from quartet.wind.alerts.unsubscribe import UnsubscribeTarget, UnsubscribeTokens
from quartet.wind.app import SERVICE
from tests.client import client_of
from tests.wind.account_setup import service_of

pytestmark = pytest.mark.anyio


async def test_keys_are_the_same_in_all_processes(
    tmp_path: Path, postgres_url: str, redis_url: str
) -> None:
    shared = {"database_url": postgres_url, "redis_url": redis_url}
    async with AsyncExitStack() as stack:
        sites = [
            await stack.enter_async_context(client_of(SERVICE, tmp_path / name, **shared))
            for name in ("one", "other")
        ]
        one, other = (service_of(site, Push) for site in sites)
        first = await one.public_key()
        assert await other.public_key() == first
        mine, theirs = (service_of(site, UnsubscribeTokens) for site in sites)
        assert theirs.read(mine.make(UnsubscribeTarget(1, 2))) == UnsubscribeTarget(1, 2)
        await one.new_key()
        second = await one.public_key()
        assert second != first
        async with asyncio.timeout(60):
            while await other.public_key() != second:
                await asyncio.sleep(0.02)
