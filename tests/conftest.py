import gc
import os
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager

import psycopg
import pytest
from hypothesis import settings

from quartet.kernel.auth import passwords
from tests.elsewhere import VARIABLE, servers
from tests.forks import forker
from tests.needs import lacking
from tests.real_servers import ProgramMissing, postgres_server, redis_server

# The same examples every time: a failure can be repeated, and a green run stays green.
settings.register_profile("quartet", derandomize=True, deadline=None)
settings.load_profile("quartet")


# They take longest, and begin first: at the end all cores shall have something to do.
LONG = (
    "browser/",
    "_engines.py",
    "test_end_to_end",
    "test_scale",
    "kill",
    "test_demo.py",
    "test_on_postgresql",
    "test_alarms_month",
    "test_openapi",
    "test_convergence",
    "test_real_files",
    "test_cli",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not any(part in item.nodeid.split("::")[0] for part in LONG))


def pytest_collection_finish() -> None:
    # Four thousand tests and what they import stay to the end: no need to look for garbage there.
    gc.freeze()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> None:
    """Nearly every test logs in; what a hash costs is looked at where hashes are tested."""
    passwords.MEMORY_KIB = 64


@pytest.fixture(scope="session", autouse=True)
def forks() -> Iterator[None]:
    yield
    forker.close()


@pytest.fixture(scope="session", autouse=True)
def elsewhere(request: pytest.FixtureRequest) -> None:
    if os.environ.get(VARIABLE) == "postgresql":
        servers.postgres = request.getfixturevalue("postgres")
        servers.redis = request.getfixturevalue("redis_url")


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
    try:
        with server as url:
            yield url
    except ProgramMissing as missing:
        lacking(str(missing))
