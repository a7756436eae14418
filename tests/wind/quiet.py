"""The service without its loops: nothing is fetched, listed or made while a test asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quartet.kernel.start import start
from quartet.wind.app import SERVICE
from tests.client import Client, client_at
from tests.elsewhere import elsewhere


@asynccontextmanager
async def quiet(data: Path, **settings: Any) -> AsyncIterator[Client]:
    started = start(
        SERVICE, SERVICE.settings(data=data, **{**elsewhere(SERVICE, data), **settings})
    )
    async with client_at(started) as client:
        yield client
    await started.kernel.close()
