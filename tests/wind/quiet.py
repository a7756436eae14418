"""The service without its loops: nothing runs in the background."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from quartet.wind.app import SERVICE
from tests.client import Client, quiet_client_of


def quiet(data: Path, **settings: Any) -> AbstractAsyncContextManager[Client]:
    return quiet_client_of(SERVICE, data, **settings)
