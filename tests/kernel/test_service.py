import asyncio
import socket
from pathlib import Path

import pytest

from quartet.kernel.auth import Throttle
from quartet.kernel.errors import AppError
from quartet.kernel.startup import open_kernel
from quartet.wind.app import SERVICE
from tests.client import client_of

pytestmark = pytest.mark.anyio


async def test_outbound_client_uses_setting_and_closes_with_service(
    tmp_path: Path,
) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        with pytest.raises(AppError, match="address_forbidden"):
            await client.started.kernel.outbound.get("http://127.0.0.1:1/")
    async with client_of(SERVICE, tmp_path, allow_private_addresses=True) as client:
        with pytest.raises(AppError, match="unreachable"):
            await client.started.kernel.outbound.get("http://127.0.0.1:1/")


async def test_sign_in_does_not_wait_long_for_hanging_redis(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        kernel = open_kernel(SERVICE, SERVICE.settings(data=tmp_path, redis_url=address))
        async with asyncio.timeout(60):
            await Throttle(name="logins", redis=kernel.redis).attempt("ada")
        await kernel.close()
