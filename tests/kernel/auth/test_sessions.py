import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar.connection import ASGIConnection
from sqlalchemy import MetaData

from quartet.kernel.auth import Sessions, hash_token, sessions_table
from quartet.kernel.auth.sessions import SEEN_SECONDS
from quartet.kernel.db import Database, Tx, open_database
from quartet.kernel.service import Connection

pytestmark = pytest.mark.anyio

metadata = MetaData()
table = sessions_table(metadata)
HOUR = 3600


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    db = open_database(tmp_path, "sessions")
    with db.engine.begin() as conn:
        metadata.create_all(conn)
    yield db
    db.close()


def sessions(db: Database, clock: Clock) -> Sessions:
    return Sessions(db, table, name="test", seconds=HOUR, clock=clock)


async def test_session_expires(db: Database) -> None:
    clock = Clock()
    own = sessions(db, clock)
    token = hash_token(await db.write(own.begin, "ada"))
    clock.now += HOUR - 1
    assert await own.find(token) is not None
    clock.now += 1
    assert await own.find(token) is None


async def test_sign_in_deletes_expired_sessions(db: Database) -> None:
    clock = Clock()
    own = sessions(db, clock)
    await db.write(own.begin, "ada")
    clock.now += HOUR
    await db.write(own.begin, "ada")
    with db.engine.connect() as conn:
        assert conn.exec_driver_sql("SELECT count(*) FROM sessions").scalar_one() == 1


async def test_ended_session_is_rejected_immediately(db: Database) -> None:
    own = sessions(db, Clock())
    token = hash_token(await db.write(own.begin, "ada"))
    assert await own.find(token) is not None
    await db.write(own.end, token)
    assert await own.find(token) is None


async def test_session_ended_during_read_is_not_cached(db: Database) -> None:
    own = sessions(db, Clock())
    token = hash_token(await db.write(own.begin, "ada"))
    original = db.read

    async def slow_read(*args: object, **kwargs: object) -> object:
        found: object = await original(*args, **kwargs)  # type: ignore[arg-type]
        await db.write(own.end, token)
        return found

    db.read = slow_read  # type: ignore[method-assign, assignment]
    await own.find(token)
    db.read = original  # type: ignore[method-assign]
    assert await own.find(token) is None


async def test_session_ended_by_other_process_is_noticed_within_five_seconds(db: Database) -> None:
    clock = Clock()
    here, there = sessions(db, clock), sessions(db, clock)
    token = hash_token(await db.write(here.begin, "ada"))
    assert await here.find(token) is not None
    await db.write(there.end, token)
    clock.now += 5.1
    assert await here.find(token) is None


async def test_end_all_keeps_current_session_and_other_subjects(db: Database) -> None:
    own = sessions(db, Clock())
    tokens = [hash_token(await db.write(own.begin, "ada")) for _ in range(3)]
    other = hash_token(await db.write(own.begin, "bob"))

    def work(tx: Tx) -> None:
        own.end_all(tx, "ada", keep=tokens[1])

    await db.write(work)
    found = await asyncio.gather(*(own.find(token) for token in [*tokens, other]))
    assert [session is not None for session in found] == [False, True, False, True]


async def test_last_use_is_stored_at_most_every_quarter_of_an_hour(db: Database) -> None:
    clock = Clock()
    own = sessions(db, clock)
    token = await db.write(own.begin, "ada")
    writes = 0
    original = db.write

    async def counted_write(*args: object, **kwargs: object) -> object:
        nonlocal writes
        writes += 1
        return await original(*args, **kwargs)  # type: ignore[arg-type]

    db.write = counted_write  # type: ignore[method-assign, assignment]
    for step in (1, SEEN_SECONDS, 1, 1):
        clock.now += step
        assert await own.of(request_from("198.51.100.4", token)) is not None
    assert writes == 1
    found = await own.find(hash_token(token))
    assert found is not None
    assert (found.seen_at, found.address) == (int(clock.now) - 2, "198.51.100.4")


def request_from(address: str, token: str) -> Connection:
    scope: Any = {
        "type": "http",
        "scheme": "http",
        "client": (address, 1),
        "header": {"cookie": f"test={token}"},
    }
    return ASGIConnection(scope)
