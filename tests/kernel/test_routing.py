"""Handlers are analysed before their first request, and structs are written at once."""

from typing import Any

import msgspec
import pytest
from litestar import get
from litestar._kwargs.kwargs_model import KwargsModel
from litestar.params import FromPath
from litestar.routes import HTTPRoute

from quartet.kernel.asgi import Message
from quartet.kernel.edge import Edge
from quartet.kernel.metrics import Metrics
from quartet.kernel.responses import StructResponse
from quartet.kernel.routing import Application, DeferredKwargs, analyse_handlers
from quartet.kernel.settings import Settings

pytestmark = pytest.mark.anyio


class Answer(msgspec.Struct):
    number: int
    filler: str = ""


@get("/api/numbers/{number:int}")
async def number_of(number: FromPath[int]) -> Answer:
    return Answer(number, "x" * number)


@get("/api/other")
async def other() -> Answer:
    return Answer(0)


def application() -> Application:
    return Application(
        route_handlers=[number_of, other], response_class=StructResponse, openapi_config=None
    )


def analysed(app: Application) -> set[str]:
    models = {
        route.path: model
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for handler, model in route.route_handler_map.values()
        if "GET" in handler.http_methods
    }
    assert all(isinstance(model, DeferredKwargs) for model in models.values())
    # Reading the slot itself does not start the analysis.
    slot: Any = KwargsModel.__dict__["has_kwargs"]
    return {path for path, model in models.items() if _has_value(slot, model)}


def _has_value(slot: Any, model: object) -> bool:
    try:
        slot.__get__(model)
    except AttributeError:
        return False
    return True


class Exchange:
    """One request to the edge; `written` is what it wrote without ASGI messages."""

    def __init__(self, path: str, *, accepted: str = "") -> None:
        self.sent: list[Message] = []
        self.written: list[tuple[int, bytes, bytes]] = []
        self.can_write = True
        self.scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"accept-encoding", accepted.encode())],
            "client": ("127.0.0.1", 1),
            "scheme": "http",
            "write_response": self._write,
        }

    def _write(self, status: int, head: bytes, body: bytes) -> bool:
        if self.can_write:
            self.written.append((status, head, body))
        return self.can_write

    async def run(self, edge: Edge) -> "Exchange":
        async def receive() -> Message:
            return {"type": "http.request", "body": b""}

        async def send(message: Message) -> None:
            self.sent.append(message)

        await edge(self.scope, receive, send)
        return self


async def test_handler_is_analysed_at_its_first_request() -> None:
    app = application()
    assert analysed(app) == set()
    await Exchange("/api/numbers/3").run(Edge(app, Settings(), Metrics()))  # type: ignore[arg-type]
    assert analysed(app) == {"/api/numbers/{number:int}"}
    analyse_handlers(app)
    assert analysed(app) == {"/api/numbers/{number:int}", "/api/other"}


async def test_struct_is_written_with_the_headers_of_a_sent_response() -> None:
    metrics = Metrics()
    edge = Edge(application(), Settings(), metrics, compress=True)  # type: ignore[arg-type]
    written = await Exchange("/api/numbers/3").run(edge)
    paused = Exchange("/api/numbers/3")
    paused.can_write = False
    await paused.run(edge)
    ((status, head, body),) = written.written
    start, content = paused.sent
    assert not written.sent
    assert (
        (status, body)
        == (start["status"], content["body"])
        == (200, b'{"number":3,"filler":"xxx"}')
    )
    lines = dict(line.split(b": ", 1) for line in head.strip().split(b"\r\n"))
    sent = dict(start["headers"])
    assert lines.pop(b"x-request-id") != sent.pop(b"x-request-id")
    assert lines == sent
    assert metrics.by_class[2] == 2


async def test_long_struct_is_compressed_and_sent() -> None:
    edge = Edge(application(), Settings(), Metrics(), compress=True)  # type: ignore[arg-type]
    long = await Exchange("/api/numbers/5000", accepted="gzip").run(edge)
    assert not long.written
    assert dict(long.sent[0]["headers"])[b"content-encoding"] == b"gzip"


async def test_public_json_is_written_with_its_cache_time() -> None:
    edge = Edge(application(), Settings(), Metrics(), public_json={"/api/other": 60})  # type: ignore[arg-type]
    ((_, head, _),) = (await Exchange("/api/other").run(edge)).written
    assert b"cache-control: public, max-age=60\r\n" in head
    assert b"vary: accept-encoding\r\n" in head
