import os
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager

import psycopg
import pytest
from hypothesis import settings

from quartet.kernel.testing import ProgramMissing, postgres_server, redis_server

# The same examples every time: a failure can be repeated, and a green run stays green.
settings.register_profile("quartet", derandomize=True, deadline=None)
settings.load_profile("quartet")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    yield from served(postgres_server())


@pytest.fixture
def postgres_url(postgres: str) -> Iterator[str]:
    """A database of its own for each test: services have their schemas by name."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield postgres.removesuffix("postgres") + name
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    yield from served(redis_server())


def served(server: AbstractContextManager[str]) -> Iterator[str]:
    """Where nobody may install programs, what needs them is left out; never where it must pass."""
    try:
        with server as url:
            yield url
    except ProgramMissing as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))
