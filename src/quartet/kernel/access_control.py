"""Who is let through to a handler, and with what kind of body."""

from collections.abc import Callable

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

from quartet.kernel.auth import bearer_token, secrets_match
from quartet.kernel.edge import SAFE_METHODS
from quartet.kernel.errors import AppError
from quartet.kernel.service import Authenticate, Connection, header


def access_middleware(
    authenticate: Authenticate, metrics_token: str | None
) -> Callable[[ASGIApp], ASGIApp]:
    # Not Litestar's guards: they copy the handler at each request.

    async def let_in(connection: Connection, handler: BaseRouteHandler) -> None:
        if handler.opt.get("public"):
            return
        if handler.opt.get("metrics") and metrics_token:
            given = bearer_token(connection)
            if given and secrets_match(given, metrics_token):
                return
        identity = await authenticate(connection)
        if identity is None:
            raise AppError(401, "signed_out")
        connection.scope["state"]["identity"] = identity
        connection.scope["state"]["still_allowed"] = lambda: _still(authenticate, connection)

    def wrap(app: ASGIApp) -> ASGIApp:
        async def gated(scope: Scope, receive: Receive, send: Send) -> None:
            connection: Connection = ASGIConnection(scope)
            handler = scope["route_handler"]
            _json_only(connection, handler)
            await let_in(connection, handler)
            await app(scope, receive, send)

        return gated

    return wrap


async def _still(authenticate: Authenticate, connection: Connection) -> bool:
    """For whoever backup_paths a line open: nobody hears more after signing out."""
    return await authenticate(connection) is not None


def _json_only(connection: Connection, handler: BaseRouteHandler) -> None:
    """A form on a foreign page can post text, but it cannot claim to send JSON."""
    if (
        connection.scope.get("method", "GET") not in SAFE_METHODS
        and "data" in handler.parsed_fn_signature.parameters
        and "accepts" not in handler.opt
    ):
        kind = header(connection, "content-type").split(";")[0].strip().lower()
        if kind != "application/json":
            raise AppError(415, "wrong_content_type", expected="application/json")
