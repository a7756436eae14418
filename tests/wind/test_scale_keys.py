"""Several processes sign with the same keys, also after one of them has renewed its own."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from quartet.wind.alerts.unsubscribe import Meant, Tokens
from quartet.wind.app import SERVICE
from quartet.wind.push.service import Push
from tests.client import client_of
from tests.wind.people import part

pytestmark = pytest.mark.anyio


async def test_keys_are_the_same_everywhere(
    tmp_path: Path, postgres_url: str, redis_url: str
) -> None:
    shared = {"database_url": postgres_url, "redis_url": redis_url}
    async with AsyncExitStack() as stack:
        sites = [
            await stack.enter_async_context(client_of(SERVICE, tmp_path / name, **shared))
            for name in ("one", "other")
        ]
        one, other = (part(site, Push) for site in sites)
        first = await one.public_key()
        assert await other.public_key() == first
        mine, theirs = (part(site, Tokens) for site in sites)
        assert theirs.read(mine.make(Meant(1, 2))) == Meant(1, 2)
        await one.new_key()
        second = await one.public_key()
        assert second != first
        async with asyncio.timeout(10):
            while await other.public_key() != second:
                await asyncio.sleep(0.02)
