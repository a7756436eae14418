from pathlib import Path

import pytest
from redis.asyncio import Redis

from quartet.kernel.redis import redis_address
from quartet.kernel.startup import open_kernel
from quartet.wind.app import SERVICE


@pytest.mark.parametrize(
    ("written", "used"),
    [
        ("redis://valkey:6379/0", "redis://valkey:6379/0"),
        ("rediss://valkey.example/0", "rediss://valkey.example/0"),
        ("valkey://host", "redis://host"),
        ("valkeys://valkey/0", "rediss://valkey/0"),
        ("valkey://user:valkey@valkey:1/0", "redis://user:valkey@valkey:1/0"),
    ],
)
def test_valkey_scheme_is_replaced_but_host_is_kept(written: str, used: str) -> None:
    assert redis_address(written) == used


@pytest.mark.anyio
async def test_service_connects_to_valkey_url(tmp_path: Path) -> None:
    settings = SERVICE.settings(data=tmp_path, redis_url="redis://valkey:6379/0")
    kernel = open_kernel(SERVICE, settings)
    assert isinstance(kernel.redis, Redis)
    assert kernel.redis.connection_pool.connection_kwargs["host"] == "valkey"
    await kernel.close()
