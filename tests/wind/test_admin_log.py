"""The admin log: stored lines and live stream."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import quartet
from quartet.kernel.events import Subscription
from quartet.wind.admin.log import LogAdmin, LogLine, LogRing, log_loop
from tests.client import Client
from tests.wind.account_setup import service_of
from tests.wind.admins import admin_at

pytestmark = pytest.mark.anyio

log = logging.getLogger("quartet.wind.ingest")


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[Client]:
    async with admin_at(tmp_path) as browser:
        yield browser


@pytest.fixture
def ring(browser: Client) -> Iterator[None]:
    root = logging.getLogger()
    level, ring = root.level, service_of(browser, LogAdmin).ring
    root.addHandler(ring)
    root.setLevel(logging.INFO)
    yield
    root.removeHandler(ring)
    root.setLevel(level)


async def lines(browser: Client, **query: object) -> list[dict[str, object]]:
    given = {key: str(value) for key, value in query.items()}
    answer = await browser.get("/api/admin/log/lines", params=given)
    found: list[dict[str, object]] = answer.json()["lines"]
    return found


@pytest.mark.usefixtures("ring")
async def test_lines_are_filtered_by_level_and_text_and_paged(browser: Client) -> None:
    for number in range(10):
        log.info("run %d is there", number)
    log.warning("ICON-D2: not yet")
    assert [line["message"] for line in await lines(browser, level="warning")] == [
        "ICON-D2: not yet"
    ]
    assert len(await lines(browser, q="icon-d2")) == 1
    last = await lines(browser, q="run", limit=3)
    assert [line["message"] for line in last] == [f"run {n} is there" for n in (7, 8, 9)]
    before = await lines(browser, q="run", limit=3, before=last[0]["id"])
    assert [line["message"] for line in before] == [f"run {n} is there" for n in (4, 5, 6)]
    answer = await browser.get("/api/admin/log/lines?q=run&limit=3")
    assert answer.json()["more"] is True
    assert last[0]["logger"] == "quartet.wind.ingest" and last[0]["level"] == "info"


@pytest.mark.usefixtures("ring")
async def test_log_lines_cannot_be_forged(browser: Client) -> None:
    log.info("signed in: %s", "x\n12:00:00 critical all is lost\r\x1b[2J\u2028")
    [line] = await lines(browser)
    assert line["message"] == ("signed in: x\\n12:00:00 critical all is lost\\r\\x1b[2J\\u2028")


@pytest.mark.usefixtures("ring")
async def test_secrets_are_masked(browser: Client) -> None:
    log.info("Authorization: Bearer s3cr3t and postgresql://ada:s3cr3t@localhost/db")
    found = "password=s3cr3t\ntoken: s3cr3t"
    try:
        raise RuntimeError(found)
    except RuntimeError:
        log.exception("failed")
    text = (await browser.get("/api/admin/log/lines")).text
    assert "s3cr3t" not in text
    failed = (await lines(browser, level="error"))[0]
    assert "RuntimeError: password=***" in str(failed["trace"])


@pytest.mark.usefixtures("ring")
async def test_lines_of_other_services_are_left_out(browser: Client) -> None:
    logging.getLogger("quartet.downloads.queue").warning("not for wind")
    place = str(Path(quartet.__file__).parent / "downloads" / "extraction" / "service.py")
    other = logging.LogRecord(
        "quartet.downloads.extraction", 30, place, 1, "not for wind", None, None
    )
    logging.getLogger().handle(other)
    logging.getLogger("quartet.supervisor").warning("for all")
    assert [line["message"] for line in await lines(browser)] == ["for all"]


async def test_number_and_length_of_lines_are_limited() -> None:
    found: list[LogLine] = []
    ring = LogRing("wind", found.append, lines=10)
    for number in range(15):
        message = f"{number} {'x' * 5000}"
        ring.handle(logging.LogRecord("quartet.wind.x", 20, "", 1, message, None, None))
    kept = ring.lines()
    assert (len(found), len(kept), kept[0].message[:2]) == (15, 10, "5 ")
    assert len(kept[0].message) == 4000


async def test_invalid_queries_are_rejected(browser: Client) -> None:
    for query in ("level=loud", "limit=0", "limit=x", "before=-1", "q=" + "x" * 300):
        path = f"/api/admin/log/lines?{query}"
        assert await browser.code("GET", path) == (400, "invalid_request")


async def test_new_lines_are_streamed(browser: Client) -> None:
    kernel, book = browser.started.kernel, service_of(browser, LogAdmin)
    running = asyncio.ensure_future(log_loop(book, kernel.events).run())
    async with asyncio.timeout(60):
        while book.ring not in logging.getLogger().handlers:
            await asyncio.sleep(0)
        events: Subscription = book.hub.subscribe()
        async with events:
            log.warning("a line\nas it comes")
            frame = await anext(events)
            assert frame.type == "line"
            assert b'"message":"a line\\\\nas it comes"' in frame.data
            kernel.events.close()
            await running
            assert book.hub.closed
    assert book.ring not in logging.getLogger().handlers
