"""A download manager somebody is logged in to, and a server to load from."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.app import SERVICE
from tests.client import Client, client_of
from tests.downloads.server import FileServer, file_server

USER = {"user": "ada", "password": "correct horse"}


@asynccontextmanager
async def logged_in(data: Path, **settings: Any) -> AsyncIterator[Client]:
    """Also to a service that was there before."""
    # Several tests at the same time cannot all have the port of Click'n'Load.
    settings = {"allow_private_addresses": True, "cnl_port": 0, **settings}
    async with client_of(SERVICE, data, **settings) as client:
        answer = await client.post("/api/auth/setup", json=USER)
        if answer.status_code != 204:
            await client.post("/api/auth/login", json=USER)
        yield client


@pytest.fixture
async def ada(tmp_path: Path) -> AsyncIterator[Client]:
    async with logged_in(tmp_path) as client:
        yield client


@pytest.fixture
async def server() -> AsyncIterator[FileServer]:
    async with file_server() as server:
        yield server


@pytest.fixture
def done(tmp_path: Path) -> Path:
    """Where finished files lie."""
    (tmp_path / "done").mkdir()
    return tmp_path / "done"


@pytest.fixture
def making(tmp_path: Path) -> Path:
    """Where files come into being that are loaded afterwards."""
    (tmp_path / "making").mkdir()
    return tmp_path / "making"
