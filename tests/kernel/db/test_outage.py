"""PostgreSQL is lost while a service runs."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from quartet.kernel.events import Resync
from quartet.kernel.service import Service
from quartet.kernel.startup import StartedService, start
from quartet.kernel.supervisor import LoopState
from quartet.sync.app import SERVICE as SYNC
from quartet.wind.app import SERVICE as WIND
from tests.client import client_at, client_of

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


async def test_lost_signals_during_outage_are_handled_once_it_ends(
    postgres: str, postgres_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "quartet")
    async with (
        client_of(WIND, tmp_path, database_url=postgres_url) as client,
        asyncio.timeout(60),
    ):
        with outage(postgres, postgres_url):
            # Other processes may have renewed the push key.
            client.started.kernel.events.publish_locally(Resync())
            while "background task keys failed" not in caplog.text:
                await asyncio.sleep(0.02)
        while keys_task(client.started).state != "running":
            await asyncio.sleep(0.02)
    assert not any(each.exc_info for each in caplog.records)


def keys_task(started: StartedService[Any]) -> LoopState:
    return next(each for each in started.kernel.supervisor.states() if each.name == "keys")
