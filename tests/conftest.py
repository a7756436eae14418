import gc
import os
import secrets
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager

import psycopg
import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from quartet.kernel.auth import passwords
from tests.database_backend import VARIABLE, servers
from tests.fork_client import fork_server
from tests.late_connections import close_late_connections
from tests.markers import markers_of, markers_of_path, slow_tests_of_path
from tests.prerequisites import missing_prerequisite
from tests.push_service import PushService, push_service
from tests.real_servers import ProgramMissing, postgres_server, redis_server
from tests.reused_engines import reuse_engines
from tests.rounds import NIGHTLY, examples
from tests.scheduling import SharedDemoScheduling, uses_demo_weather
from tests.shared_application import share_applications

# Use the same examples every time, so that a failure can be repeated.
settings.register_profile("quartet", derandomize=True, deadline=None, max_examples=examples(100))
settings.load_profile("quartet")

# A shell that runs the tests in the background lets them, and all their programs, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Hypothesis also tries the constants of all modules of the project. Each worker reads thousands of
# files for that, which is not worth it for a few examples.
if not NIGHTLY:
    providers._get_local_constants = Constants


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for marker in markers_of(item.nodeid):
            item.add_marker(marker)
    items.sort(key=_order)


def _order(item: pytest.Item) -> tuple[bool, bool, int]:
    path = item.nodeid.split("::")[0]
    # The tests with a marker take longest. They run first, so that no core is idle at the end. The
    # tests with the demo weather are one unit of work, the longest of all. Files of which few tests
    # are slow run last.
    return not markers_of_path(path), not uses_demo_weather(path), -slow_tests_of_path(path)


# Some tests run others without the plugin.
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> SharedDemoScheduling:
    return SharedDemoScheduling(config, log)


# Thousands of tests and their imports live until the end. The garbage collector would scan them
# again and again, first while they are collected.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def cheap_password_hashes() -> None:
    """Make password hashing cheap, because nearly every test logs in.

    The tests of the hashes use the real cost.
    """
    passwords.MEMORY_KIB = 64


@pytest.fixture(scope="session", autouse=True)
def no_late_connections() -> None:
    close_late_connections()


@pytest.fixture(scope="session", autouse=True)
def shared_applications() -> None:
    share_applications()
    reuse_engines()


@pytest.fixture(scope="session", autouse=True)
def stop_fork_server() -> Iterator[None]:
    yield
    fork_server.close()


@pytest.fixture(scope="session", autouse=True)
def use_database_backend(request: pytest.FixtureRequest) -> None:
    if os.environ.get(VARIABLE) == "postgresql":
        servers.postgres = request.getfixturevalue("postgres")
        servers.redis = request.getfixturevalue("redis_url")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    yield from server_url(postgres_server())


@pytest.fixture
def postgres_url(postgres: str) -> Iterator[str]:
    """Yield a new database for each test, because the schema names are fixed."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield postgres.removesuffix("postgres") + name
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    yield from server_url(redis_server())


@pytest.fixture
async def push_server() -> AsyncIterator[PushService]:
    async with push_service() as service:
        yield service


def server_url(server: AbstractContextManager[str]) -> Iterator[str]:
    try:
        with server as url:
            yield url
    except ProgramMissing as missing:
        missing_prerequisite(str(missing))
