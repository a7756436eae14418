"""Traces, received by a collector that parses the protocol of OpenTelemetry."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from quartet.kernel.errors import AppError
from quartet.kernel.supervisor import Supervisor, every
from quartet.kernel.tracing import TracedApp, Tracing
from quartet.media.app import SERVICE
from tests.client import client_of

pytestmark = pytest.mark.anyio

SECRET = "never-in-a-trace"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


class Collector(ThreadingHTTPServer):
    """Keeps what was exported."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.paths: set[str] = set()
        self.received = b""
        self.services: set[str] = set()
        self.spans: list[Span] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def keep(self, path: str, body: bytes) -> None:
        self.paths.add(path)
        self.received += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.services |= {
                each.value.string_value
                for each in resource.resource.attributes
                if each.key == "service.name"
            }
            self.spans += [span for scope in resource.scope_spans for span in scope.spans]

    def span(self, name: str) -> tuple[Span, dict[str, Any]]:
        names = [each.name for each in self.spans]
        assert names.count(name) == 1, names
        found = self.spans[names.index(name)]
        attributes = {
            each.key: each.value.int_value or each.value.string_value for each in found.attributes
        }
        return found, attributes


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Collector)
        self.server.keep(self.path, self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        pass


@contextmanager
def running_collector() -> Iterator[Collector]:
    with Collector() as collector:
        thread = threading.Thread(target=collector.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield collector
        finally:
            collector.shutdown()
            thread.join()


async def test_requests_and_periodic_tasks_are_traced_without_secrets(tmp_path: Path) -> None:
    with running_collector() as collector:
        async with client_of(SERVICE, tmp_path, traces_url=collector.url) as client:
            headers = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01", "x-key": SECRET}
            path = f"/api/jobs/987654321?q={SECRET}"
            assert (await client.get(path, headers=headers)).status_code == 404
            body = {"path": f"/{SECRET}"}
            assert (await client.post("/api/folders", json=body)).status_code >= 400
        assert collector.paths == {"/v1/traces"}
        assert collector.services == {"quartet-media"}
        span, attributes = collector.span("GET /api/jobs/{job_id}")
        assert span.kind == Span.SPAN_KIND_SERVER
        assert span.trace_id.hex() == TRACE
        assert len(attributes.pop("quartet.request_id")) == 16
        assert attributes == {
            "http.request.method": "GET",
            "http.route": "/api/jobs/{job_id}",
            "http.response.status_code": 404,
        }
        collector.span("POST /api/folders")
        _, task = collector.span("backups")
        assert task == {"quartet.task": "backups"}
        assert SECRET.encode() not in collector.received
        assert b"987654321" not in collector.received


async def test_failures_are_traced_by_their_code(tmp_path: Path) -> None:
    with running_collector() as collector:
        tracing = Tracing("media", collector.url)
        supervisor = Supervisor()
        supervisor.traced = tracing.task

        async def fail() -> None:
            raise AppError(502, "unreachable", address=SECRET)

        async def write_at_once(scope: Any, _receive: Any, _send: Any) -> None:
            assert scope["write_json"](503, b"{}")

        await supervisor.start([every(3600, fail, name="fetch")])
        scope = {"type": "http", "method": "GET", "header": {}, "write_json": lambda *_: True}
        await TracedApp(write_at_once, tracing)(scope, None, None)  # type: ignore[arg-type]
        while not supervisor.states()[0].restarts:
            await asyncio.sleep(0.01)
        await supervisor.stop()
        tracing.close()
        failed, attributes = collector.span("fetch")
        assert failed.status.code == Status.STATUS_CODE_ERROR
        assert attributes == {"quartet.task": "fetch", "error.type": "unreachable"}
        _, request = collector.span("GET")
        assert (request["http.response.status_code"], request["error.type"]) == (503, "503")
        assert SECRET.encode() not in collector.received


async def test_service_works_and_stops_without_its_collector(tmp_path: Path) -> None:
    with running_collector() as collector:
        url = collector.url
    async with client_of(SERVICE, tmp_path, traces_url=url) as client:
        assert (await client.get("/api/health")).status_code == 200
