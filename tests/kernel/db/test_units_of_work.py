import asyncio
import threading

import pytest
from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import DBAPIError

from quartet.kernel.db import Tx
from tests.kernel.db.conftest import Said, Sample

pytestmark = pytest.mark.anyio


def texts(conn: Connection, sample: Sample) -> list[str]:
    return list(conn.execute(select(sample.notes.c.text).order_by(sample.notes.c.id)).scalars())


def add(tx: Tx, sample: Sample, text: str) -> None:
    tx.conn.execute(insert(sample.notes).values(text=text, done=False))


def finish(tx: Tx, sample: Sample, text: str) -> None:
    tx.conn.execute(update(sample.notes).where(sample.notes.c.text == text).values(done=True))


async def test_read_sees_previous_write(sample: Sample) -> None:
    await sample.db.write(add, sample, "one")
    assert await sample.db.read(texts, sample) == ["one"]


async def test_flags_and_json_round_trip(sample: Sample) -> None:
    def work(tx: Tx) -> None:
        tx.conn.execute(
            insert(sample.notes).values(text="x", done=True, extra={"ä": [1, None, "z"]})
        )

    await sample.db.write(work)
    row = await sample.db.read(lambda conn: conn.execute(select(sample.notes)).one())
    assert row.done is True
    assert row.extra == {"ä": [1, None, "z"]}


async def test_failed_write_is_rolled_back_without_events(sample: Sample) -> None:
    def work(tx: Tx) -> None:
        add(tx, sample, "half")
        tx.emit(Said("half"))
        raise ValueError

    with pytest.raises(ValueError):
        await sample.db.write(work)
    assert await sample.db.read(texts, sample) == []
    assert sample.events == []


async def test_statement_parameters_are_not_logged(sample: Sample) -> None:
    def work(tx: Tx) -> None:
        tx.conn.execute(insert(sample.notes).values(id=1, text="s3cr3t", done=False))

    await sample.db.write(work)
    with pytest.raises(DBAPIError) as twice:
        await sample.db.write(work)
    assert "INSERT INTO" in str(twice.value)
    assert "s3cr3t" not in str(twice.value)


async def test_events_are_published_in_order_after_commit(sample: Sample) -> None:
    def work(tx: Tx) -> None:
        tx.emit(Said("first"))
        add(tx, sample, "one")
        tx.emit(Said("second"))
        assert sample.events == []

    await sample.db.write(work)
    assert sample.events == [Said("first"), Said("second")]


async def test_event_is_published_if_caller_is_cancelled(sample: Sample) -> None:
    inside, go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def work(tx: Tx) -> None:
        loop.call_soon_threadsafe(inside.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        add(tx, sample, "one")
        tx.emit(Said("done"))

    caller = asyncio.create_task(sample.db.write(work))
    await inside.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    go_on.set()
    await sample.db.write(lambda tx: None)
    while Said("done") not in sample.events:
        await asyncio.sleep(0)
    assert await sample.db.read(texts, sample) == ["one"]


async def test_hundred_concurrent_writers_lose_no_update(sample: Sample) -> None:
    await asyncio.gather(*(sample.db.write(add, sample, str(n)) for n in range(100)))
    total = select(func.count()).select_from(sample.notes)
    assert await sample.db.read(lambda conn: conn.execute(total).scalar_one()) == 100


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_deadlocked_transactions_both_succeed(sample: Sample) -> None:
    both_have_one = threading.Barrier(2)
    tries: list[str] = []

    def cross(tx: Tx, first: str, second: str) -> None:
        tries.append(first)
        finish(tx, sample, first)
        if tries.count(first) == 1:
            both_have_one.wait(60)
        finish(tx, sample, second)
        tx.emit(Said(first))

    for name in ("one", "two"):
        await sample.db.write(add, sample, name)
    await asyncio.gather(sample.db.write(cross, "one", "two"), sample.db.write(cross, "two", "one"))
    # Usually three: the retried transaction can deadlock with the waiting one again.
    assert len(tries) > 2
    assert sorted(event.text for event in sample.events if isinstance(event, Said)) == [
        "one",
        "two",
    ]


async def test_reads_do_not_wait_for_long_write(sample: Sample) -> None:
    inside, go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def work(tx: Tx) -> None:
        add(tx, sample, "late")
        loop.call_soon_threadsafe(inside.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()

    writing = asyncio.create_task(sample.db.write(work))
    await inside.wait()
    assert await sample.db.read(texts, sample) == []
    go_on.set()
    await writing
    assert await sample.db.read(texts, sample) == ["late"]


async def test_close_finishes_queued_writes(sample: Sample) -> None:
    writes = [asyncio.ensure_future(sample.db.write(add, sample, str(n))) for n in range(20)]
    await asyncio.sleep(0)
    await asyncio.to_thread(sample.db.close)
    await asyncio.gather(*writes)
    with sample.db.engine.connect() as conn:
        assert len(texts(conn, sample)) == 20
    sample.db.engine.dispose()


async def test_sqlite_reader_rejects_writes(sample: Sample) -> None:
    if sample.db.kind == "sqlite":
        with pytest.raises(DBAPIError):
            await sample.db.read(
                lambda conn: conn.execute(insert(sample.notes).values(text="x", done=False))
            )


async def test_autocommit_statement_waits_for_running_write(sample: Sample) -> None:
    writes = [sample.db.write(add, sample, f"note {number}") for number in range(20)]
    await asyncio.gather(*writes[:10], sample.db.execute_autocommit("VACUUM"), *writes[10:])
    assert len(await sample.db.read(texts, sample)) == 20
