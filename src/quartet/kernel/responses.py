"""A fast response for msgspec structs."""

from typing import Any

import msgspec
from litestar import MediaType, Response
from litestar.handlers import HTTPRouteHandler
from litestar.types import Receive, Scope, Send

from quartet.kernel.asgi import send_json
from quartet.kernel.web import Request

_encode = msgspec.json.Encoder().encode


class StructResponse(Response[Any]):
    """Skips Litestar's response processing for plain structs without cookies or headers."""

    def to_asgi_response(self, app: Any, request: Request, **options: Any) -> Any:
        special = self.cookies or self.headers or self.background or any(options.values())
        if special or not isinstance(self.content, msgspec.Struct):
            return super().to_asgi_response(app, request, **options)
        return _Json(self.status_code or 200, _encode(self.content))


class _Json:
    def __init__(self, status: int, body: bytes) -> None:
        self._status = status
        self._body = body

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        write = scope.get("write_json")
        if write is None or not write(self._status, self._body):  # type: ignore[operator]
            await send_json(send, self._status, self._body)  # type: ignore[arg-type]


def answer_structs(handler: HTTPRouteHandler) -> None:
    """Make a handler without own headers encode structs without creating a Litestar response."""
    usual = handler.get_response_handler()
    if handler.resolve_response_headers() or handler.resolve_response_cookies():
        return
    if handler.background or handler.after_request or handler.media_type != MediaType.JSON:
        return
    status = handler.status_code

    async def respond(data: Any, **options: Any) -> Any:
        if isinstance(data, msgspec.Struct):
            return _Json(status, _encode(data))
        return await usual(data=data, **options)  # type: ignore[call-arg]

    handler._response_handler_mapping["default_handler"] = respond
