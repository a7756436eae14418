"""Fast-path responses are sent without a task and are identical to normal ones."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from quartet.kernel.asgi import Receive, Scope, Send, send_json
from quartet.kernel.edge import Edge
from quartet.kernel.fast_paths import Answer, AnswerCache, FastPaths, FileInMemory
from quartet.kernel.metrics import Metrics
from quartet.kernel.server import ServedApp, Stop, serve
from quartet.kernel.settings import Settings

pytestmark = pytest.mark.anyio

ASK = b"GET /base/point?%b HTTP/1.1\r\nHost: localhost\r\n"
ASK_FILE = b"GET /base/files/a?%b HTTP/1.1\r\nHost: localhost\r\n"


async def fast_path(query: bytes) -> bytes | None:
    if query == b"late":
        await asyncio.sleep(0.01)
    if query == b"broken":
        raise ValueError
    return None if query == b"odd" else b'"%b at hand"' % query


def file_in_memory(path: str, query: bytes) -> FileInMemory | None:
    """Return a file that is too large to be copied to its head."""
    return FileInMemory(b"etag: 1\r\n", b"%b" % query * 10_000) if query != b"odd" else None


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        for _ in ("startup", "shutdown"):
            await send({"type": f"{(await receive())['type']}.complete"})
        return
    await send_json(send, 200, b'"%b the long way"' % scope["query_string"])


class Line:
    """One raw connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def ask(self, *queries: bytes, more: bytes = b"", line: bytes = ASK) -> None:
        self._writer.write(b"".join(line % query + more + b"\r\n" for query in queries))

    async def answer(self) -> tuple[dict[str, str], str]:
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        status, *lines = head.strip().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        body = await self._reader.readexactly(int(headers["content-length"]))
        return {"status": status, **headers}, body.decode().strip('"')

    async def rest(self) -> bytes:
        return await self._reader.read()


@asynccontextmanager
async def served(metrics: Metrics, **settings: Any) -> AsyncIterator[Line]:
    edge = Edge(
        application,
        Settings(base_path="/base", **settings),
        metrics,
        {"/point": fast_path},
        fast_files={"/files/": file_in_memory},
    )
    stop, ports = Stop(), asyncio.Queue[int]()
    told = ServedApp("at hand", edge, immediate_response=edge.immediate_response)
    server = asyncio.create_task(
        serve([told], stop=stop, ready=lambda apps: ports.put_nowait(apps[0].port))
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", await ports.get())
    try:
        yield Line(reader, writer)
    finally:
        writer.close()
        stop.request()
        assert await server == 0


async def test_fast_path_response_equals_route_response() -> None:
    metrics = Metrics()
    async with served(metrics) as line:
        line.ask(b"plain")
        short, body = await line.answer()
        assert body == "plain at hand"
        line.ask(b"odd")
        long, body = await line.answer()
        assert body == "odd the long way"
    assert short.pop("x-request-id") != long.pop("x-request-id")
    assert {**short, "content-length": "", "date": ""} == {**long, "content-length": "", "date": ""}
    assert metrics.by_class[2] == 2


@pytest.mark.parametrize("query", [b"late", b"broken"])
async def test_fast_path_that_waits_or_fails_uses_route(query: bytes) -> None:
    async with served(Metrics()) as line:
        line.ask(query)
        _, body = await line.answer()
        assert body == f"{query.decode()} the long way"


async def test_file_in_memory_is_sent_unless_the_client_may_have_it() -> None:
    async with served(Metrics()) as line:
        line.ask(b"plain", line=ASK_FILE)
        headers, body = await line.answer()
        assert (headers["etag"], headers["x-content-type-options"]) == ("1", "nosniff")
        assert body == "plain" * 10_000
        for query, more in ((b"odd", b""), (b"known", b'If-None-Match: "1"\r\n')):
            line.ask(query, more=more, line=ASK_FILE)
            assert (await line.answer())[1] == f"{query.decode()} the long way"


async def test_pipelined_requests_are_answered_in_order() -> None:
    asked = [b"one", b"late", b"two", b"odd", b"three"] * 50
    async with served(Metrics()) as line:
        line.ask(*asked)
        answers = [(await line.answer())[1] for _ in asked]
    assert [each.split()[0].encode() for each in answers] == asked


async def test_connection_close_is_respected() -> None:
    async with served(Metrics()) as line:
        line.ask(b"plain", more=b"Connection: close\r\n")
        assert (await line.answer())[1] == "plain the long way"
        assert await line.rest() == b""


async def test_unknown_host_is_rejected_on_fast_path() -> None:
    async with served(Metrics(), allowed_hosts=("nas.local",)) as line:
        line.ask(b"plain")
        headers, _ = await line.answer()
        assert headers["status"].startswith("HTTP/1.1 403")


async def test_answer_is_kept_until_the_version_changes() -> None:
    calls, version = [], 1

    async def count(query: bytes) -> bytes | None:
        calls.append(query)
        return None if query == b"odd" else b"%d" % len(calls)

    edge = Edge(
        application,
        Settings(),
        Metrics(),
        {"/point": count},
        {"/point": 60},
        fast_version=lambda: version,
    )

    def ask(query: bytes, accepted: bytes = b"") -> bytes | None:
        headers = [(b"host", b"localhost"), (b"accept-encoding", accepted)]
        scope = {"method": "GET", "path": "/point", "query_string": query, "headers": headers}
        answer = edge.immediate_response(scope)
        return None if answer is None else answer[1]

    assert [ask(b"a"), ask(b"a"), ask(b"b"), ask(b"a")] == [b"1", b"1", b"2", b"1"]
    assert ask(b"a", b"gzip") == b"3"
    version = 2
    assert [ask(b"a"), ask(b"a")] == [b"4", b"4"]
    assert ask(b"odd") is None and ask(b"odd") is None
    assert calls[-2:] == [b"odd", b"odd"]


async def test_oldest_answers_make_room() -> None:
    cache = AnswerCache(most_bytes=10)
    for key in ("a", "b", "c"):
        assert cache.get(1, key) is None
        cache.add(key, Answer(b"", b"1234"))
    assert cache.get(1, "a") is None
    assert cache.get(1, "b") == cache.get(1, "c") == Answer(b"", b"1234")
    cache.add("large", Answer(b"", bytes(11)))
    assert cache.get(1, "large") is None and cache.get(1, "c") is None


async def test_error_after_an_abandoned_fast_path_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """While the database is down, the ordinary way answers and reports the error."""
    loop = asyncio.get_running_loop()
    abandoned: list[asyncio.Future[bytes]] = []

    async def from_database(query: bytes) -> bytes | None:
        abandoned.append(loop.create_future())
        return await abandoned[0]

    paths = FastPaths({"/point": from_database}, lambda path: None, None, [])
    scope = {"query_string": b"", "headers": []}
    assert paths.answer("/point", scope) is None
    abandoned.pop().set_exception(ConnectionError())
    await asyncio.sleep(0)
    gc.collect()
    await asyncio.sleep(0)
    assert caplog.records == []
