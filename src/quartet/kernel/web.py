"""Types and helpers for routes."""

from dataclasses import dataclass
from typing import Any, TypeVar

import litestar
from litestar.di import NamedDependency
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIType, Operation, RequestBody, Schema
from litestar.params import JSONBody

from quartet.kernel.service import Connection, Identity

__all__ = ["OFF_PAGE", "PUBLIC", "Injected", "JSONBody", "Request", "WebSocket", "identity_of"]

T = TypeVar("T")

Request = litestar.Request[Any, Any, Any]
WebSocket = litestar.WebSocket[Any, Any, Any]

# A dependency a service provides by name: `login: Injected[Login]`.
Injected = NamedDependency[T]

# Marks a handler that needs no login: `@get("/api/health", **PUBLIC)`.
PUBLIC: dict[str, Any] = {"opt": {"public": True}}
# Keeps an audited handler out of the page of events, where a user who calls it often would displace
# all others: `@delete("/api/…", audit="deleted", **OFF_PAGE)`.
OFF_PAGE: dict[str, Any] = {"audit_page": False}


def identity_of(connection: Connection) -> Identity:
    """Return the caller, set by the access middleware for handlers that are not public."""
    identity: Identity = connection.scope["state"]["identity"]
    return identity


def text_body(media_type: str) -> type[Operation]:
    """Return the `operation_class` of a handler that reads a text which is not JSON."""
    text = OpenAPIMediaType(schema=Schema(type=OpenAPIType.STRING))

    @dataclass
    class TextBody(Operation):
        def __post_init__(self) -> None:
            self.request_body = RequestBody(required=True, content={media_type: text})

    return TextBody
