"""The little that routes need besides Litestar itself."""

from typing import Any, TypeVar

import litestar
from litestar.di import NamedDependency
from litestar.params import JSONBody

from quartet.kernel.service import Connection, Identity

__all__ = ["PUBLIC", "Injected", "JSONBody", "Request", "WebSocket", "identity_of"]

T = TypeVar("T")

Request = litestar.Request[Any, Any, Any]
WebSocket = litestar.WebSocket[Any, Any, Any]

# What a service hands to its handlers by name: `login: Given[Login]`.
Injected = NamedDependency[T]

# A handler that needs no login: `@get("/api/health", **PUBLIC)`.
PUBLIC: dict[str, Any] = {"opt": {"public": True}}


def identity_of(connection: Connection) -> Identity:
    """Who asks; the gate has put it there before a handler runs that is not public."""
    identity: Identity = connection.scope["state"]["identity"]
    return identity
