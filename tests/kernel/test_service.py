from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
from quartet.wind.app import SERVICE
from tests.client import client_of

pytestmark = pytest.mark.anyio


async def test_the_way_out_keeps_to_the_setting_and_closes_with_the_service(
    tmp_path: Path,
) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        with pytest.raises(AppError, match="address_forbidden"):
            await client.started.kernel.outbound.get("http://127.0.0.1:1/")
    async with client_of(SERVICE, tmp_path, allow_private_addresses=True) as client:
        with pytest.raises(AppError, match="unreachable"):
            await client.started.kernel.outbound.get("http://127.0.0.1:1/")
