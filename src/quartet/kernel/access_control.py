"""Authentication and content type checks that run before each route handler."""

from collections.abc import Callable

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from quartet.kernel.audit import audit, audit_action
from quartet.kernel.audit.types import Action
from quartet.kernel.auth import bearer_token, require_own_host, secrets_match
from quartet.kernel.errors import AppError
from quartet.kernel.request_checks import SAFE_METHODS
from quartet.kernel.service import Authenticate, Connection, header


def access_middleware(
    authenticate: Authenticate, metrics_token: str | None
) -> Callable[[ASGIApp], ASGIApp]:
    # A middleware instead of Litestar's guards, because guards copy the handler for every request.

    async def authenticate_request(connection: Connection, handler: BaseRouteHandler) -> None:
        if handler.opt.get("public"):
            return
        if handler.opt.get("metrics") and metrics_token:
            given = bearer_token(connection)
            if given and secrets_match(given, metrics_token):
                return
        identity = await authenticate(connection)
        if identity is None:
            if bearer_token(connection):
                audit("token_refused", connection, "signed_out")
            raise AppError(401, "signed_out")
        if identity.via in ("proxy", "open"):
            require_own_host(connection)
        connection.scope["state"]["identity"] = identity
        connection.scope["state"]["still_allowed"] = lambda: _still_authenticated(
            authenticate, connection
        )

    def wrap(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
            connection: Connection = ASGIConnection(scope)
            handler = scope["route_handler"]
            _require_json(connection, handler)
            await authenticate_request(connection, handler)
            await app(scope, receive, _auditing(connection, handler, send))

        return middleware

    return wrap


def _auditing(connection: Connection, handler: BaseRouteHandler, send: Send) -> Send:
    """Log the action of the handler when its response starts, unless it failed."""
    event: Action | None = handler.opt.get("audit")
    if event is None:
        return send
    # The response has to pass the function below.
    connection.scope.pop("write_json", None)  # type: ignore[typeddict-item]

    async def audited(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] < 400:
            audit_action(event, connection)
        await send(message)

    return audited


async def _still_authenticated(authenticate: Authenticate, connection: Connection) -> bool:
    """Return whether an open stream may continue; it ends when its user signs out."""
    return await authenticate(connection) is not None


def _require_json(connection: Connection, handler: BaseRouteHandler) -> None:
    """Reject bodies that are not JSON: an HTML form on another site can only send other types."""
    if (
        connection.scope.get("method", "GET") not in SAFE_METHODS
        and "data" in handler.parsed_fn_signature.parameters
        and "accepts" not in handler.opt
    ):
        kind = header(connection, "content-type").split(";")[0].strip().lower()
        if kind != "application/json":
            raise AppError(415, "wrong_content_type", expected="application/json")
