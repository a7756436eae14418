"""A download manager with a signed-in user, and a server to download from."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.app import SERVICE
from tests.client import Client, client_at, client_of
from tests.downloads.aria2_rpc import Rpc, token_of
from tests.downloads.first_user import USER as USER
from tests.downloads.first_user import first_user
from tests.downloads.plugins import imitation
from tests.downloads.server import FileServer, file_server
from tests.downloads.web_pages import Pages


@asynccontextmanager
async def logged_in(data: Path, **settings: Any) -> AsyncIterator[Client]:
    """Start the service and sign in; the data folder may already exist."""
    # Parallel tests cannot all use the Click'n'Load port.
    settings = {"allow_private_addresses": True, "cnl_port": 0, **settings}
    async with client_of(SERVICE, data, **settings) as client:
        answer = await client.post("/api/auth/setup", json=first_user(data))
        if answer.status_code != 204:
            await client.post("/api/auth/login", json=USER)
        yield client


@pytest.fixture
async def ada(tmp_path: Path) -> AsyncIterator[Client]:
    async with logged_in(tmp_path) as client:
        yield client


@pytest.fixture
async def rpc(ada: Client) -> AsyncIterator[Rpc]:
    """A client without a session, as all aria2 clients."""
    async with client_at(ada.started) as stranger:
        yield Rpc(stranger, await token_of(ada))


@pytest.fixture
async def server() -> AsyncIterator[FileServer]:
    async with file_server() as server:
        yield server


@pytest.fixture
async def pages() -> AsyncIterator[Pages]:
    served = Pages()
    async with imitation({"GET /{path:.*}": served.answer}) as served.base:
        yield served


@pytest.fixture
def done(tmp_path: Path) -> Path:
    """The folder of finished files."""
    (tmp_path / "done").mkdir()
    return tmp_path / "done"


@pytest.fixture
def making(tmp_path: Path) -> Path:
    """The folder for files that are created for downloading."""
    (tmp_path / "making").mkdir()
    return tmp_path / "making"
