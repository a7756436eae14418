from collections.abc import Iterator

import pytest
from hypothesis import settings

from quartet.kernel.testing import postgres_server, redis_server

# The same examples every time: a failure can be repeated, and a green run stays green.
settings.register_profile("quartet", derandomize=True, deadline=None)
settings.load_profile("quartet")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with postgres_server() as url:
        yield url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with redis_server() as url:
        yield url
