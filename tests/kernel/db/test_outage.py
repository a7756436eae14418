"""PostgreSQL is lost while a service runs."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from quartet.kernel.service import Service
from quartet.kernel.startup import start
from quartet.sync.app import SERVICE as SYNC
from quartet.wind.app import SERVICE as WIND
from tests.client import client_at

pytestmark = pytest.mark.anyio


@contextmanager
def outage(postgres: str, url: str) -> Iterator[None]:
    """Disconnect all clients of one database and refuse new connections, as a restart does."""
    name = url.rpartition("/")[2]
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
        )
        yield
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


@pytest.mark.parametrize(("service", "readiness"), [(SYNC, 503), (WIND, 200)])
async def test_outage_is_reported_as_unavailable_and_logged_once(
    service: Service[Any],
    readiness: int,
    postgres: str,
    postgres_url: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "quartet")
    started = start(service, service.settings(data=tmp_path, database_url=postgres_url))
    async with client_at(started) as client:
        with outage(postgres, postgres_url):
            for _ in range(3):
                answer = await client.get("/api/health")
                assert answer.status_code == 503
                assert answer.json()["code"] == "database_unavailable"
                assert answer.headers["retry-after"] == "5"
            # Forecasts need no database.
            assert (await client.get("/api/ready")).status_code == readiness
        assert (await client.get("/api/health")).status_code == 200
    started.kernel.db.close()
    levels = [each.levelname for each in caplog.records if each.name == "quartet.db"]
    assert levels == ["ERROR", "INFO"]
    assert not any(each.exc_info for each in caplog.records)
