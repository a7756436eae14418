"""Traces of requests and background tasks, sent to an OpenTelemetry collector over OTLP/HTTP.

Spans contain methods, route patterns, status codes and error codes only: no query strings, headers,
bodies, addresses or messages of errors, which may be secret.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from quartet import __version__
from quartet.kernel.asgi import App, Message, Receive, Scope, Send
from quartet.kernel.errors import AppError
from quartet.kernel.log import request_id

if TYPE_CHECKING:
    from opentelemetry.trace import Span

# Also the longest wait for a collector that does not respond, at the stop of a service.
EXPORT_SECONDS = 5.0
SEND_SECONDS = 5.0


class Tracing:
    def __init__(self, service: str, url: str) -> None:
        # Imported here because they take long, and most installations have no collector.
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        about = {"service.name": f"quartet-{service}", "service.version": __version__}
        exporter = OTLPSpanExporter(f"{url.rstrip('/')}/v1/traces", timeout=EXPORT_SECONDS)
        processor = BatchSpanProcessor(exporter, schedule_delay_millis=SEND_SECONDS * 1000)
        # `close` ends it; the handler of the library would run after the event loop has ended.
        self._provider = TracerProvider(resource=Resource.create(about), shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("quartet")
        self._propagator = TraceContextTextMapPropagator()

    @contextmanager
    def request(self, scope: Mapping[str, Any]) -> Iterator["Span"]:
        """Trace a request, as part of the trace that its `traceparent` header names."""
        from opentelemetry.trace import SpanKind

        method = scope["method"]
        with self._span(method, SpanKind.SERVER, self._propagator.extract(scope["header"])) as span:
            span.set_attribute("http.request.method", method)
            span.set_attribute("quartet.request_id", request_id.get() or "")
            try:
                yield span
            finally:
                # The router has found the pattern by now.
                if route := scope.get("path_template"):
                    span.update_name(f"{method} {route}")
                    span.set_attribute("http.route", route)

    @contextmanager
    def task(self, name: str) -> Iterator[None]:
        """Trace one run of a background task."""
        from opentelemetry.trace import SpanKind

        with self._span(name, SpanKind.INTERNAL, None) as span:
            span.set_attribute("quartet.task", name)
            yield

    def close(self) -> None:
        """Send what is left; blocks."""
        self._provider.shutdown()

    @contextmanager
    def _span(self, name: str, kind: Any, parent: Any) -> Iterator["Span"]:
        with self._tracer.start_as_current_span(
            name, parent, kind, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except Exception as error:
                failed(span, error.code if isinstance(error, AppError) else type(error).__name__)
                raise


def failed(span: "Span", code: str) -> None:
    from opentelemetry.trace import StatusCode

    span.set_status(StatusCode.ERROR)
    span.set_attribute("error.type", code)


class TracedApp:
    """Traces each HTTP request of an ASGI application."""

    def __init__(self, app: App, tracing: Tracing) -> None:
        self.app = app
        self._tracing = tracing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with self._tracing.request(scope) as span:

            def answered(status: int) -> None:
                span.set_attribute("http.response.status_code", status)
                if status >= 500:
                    failed(span, str(status))

            async def answer(message: Message) -> None:
                if message["type"] == "http.response.start":
                    answered(message["status"])
                await send(message)

            # Some responses are written at once instead.
            if write := scope.get("write_json"):

                def write_json(status: int, body: bytes) -> bool:
                    answered(status)
                    written: bool = write(status, body)
                    return written

                scope["write_json"] = write_json
            await self.app(scope, receive, answer)
