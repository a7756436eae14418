"""A fast response for msgspec structs."""

from typing import Any

import msgspec
from litestar import Response
from litestar.types import Receive, Scope, Send

from quartet.kernel.edge import send_json
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

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        await send_json(send, self._status, self._body)  # type: ignore[arg-type]
