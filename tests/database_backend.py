"""Run the HTTP tests on PostgreSQL and Redis: `QUARTET_TEST_DATABASE=postgresql pytest …`."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
from redis import Redis

from quartet.kernel.db import migrate, open_database
from quartet.kernel.service import Service
from tests.databases import put_empty_database

VARIABLE = "QUARTET_TEST_DATABASE"


@dataclass
class Servers:
    """Addresses of the servers; empty when the tests run on SQLite."""

    postgres: str = ""
    redis: str = ""


servers = Servers()


def database_settings(service: Service[Any], data: Path) -> dict[str, Any]:
    """Return the settings that select the database.

    Each data folder has its own database, so a service that restarts finds its data again.
    """
    if not servers.postgres:
        put_empty_database(data, service.history)
        return {}
    name = f"{service.name}_{sha256(str(data.resolve()).encode()).hexdigest()[:20]}"
    template = f"template_{service.name}"
    with psycopg.connect(servers.postgres, autocommit=True) as conn:
        if not _has(conn, template):
            conn.execute(f"CREATE DATABASE {template}")
            db = open_database(data, service.name, _url(template))
            migrate(db, service.history)
            db.close()
        if not _has(conn, name):
            conn.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
            with Redis.from_url(servers.redis) as redis:
                # Remove the login attempts counted by earlier tests.
                redis.flushdb()
    return {"database_url": _url(name), "redis_url": servers.redis}


def _has(conn: psycopg.Connection[Any], name: str) -> bool:
    found = conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
    return found.fetchone() is not None


def _url(name: str) -> str:
    return f"{servers.postgres.rpartition('/')[0]}/{name}"
