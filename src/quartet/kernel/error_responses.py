"""Turns every exception into the error body: a code with its inputs."""

import logging
import re

import msgspec
from litestar import Response
from litestar.exceptions import (
    HTTPException,
    InternalServerException,
    MethodNotAllowedException,
    ValidationException,
)
from litestar.exceptions.http_exceptions import ClientException, RequestEntityTooLarge

from quartet.kernel.audit import audit_error
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.log import request_id
from quartet.kernel.web import Request

log = logging.getLogger("quartet.app")

MAX_BODY_BYTES = 8 * 1024 * 1024
# For handlers that anyone may call.
MAX_PUBLIC_BODY_BYTES = 64 * 1024

# Logged once when they begin, not for every request.
LOGGED_ELSEWHERE = {"stopping", "database_unavailable"}

# The start of a msgspec message about a field that the request must not have.
_UNKNOWN_FIELD = re.compile(r"^Object contains unknown field `(.+)`", re.DOTALL)
# The end of a msgspec message about the request body, which handlers receive as `data`.
_INVALID_BODY_FIELD = re.compile(r" - at `\$\.data(?:\.(?P<field>.+))?`$", re.DOTALL)


def error_response(request: Request, error: Exception) -> Response[Problem]:
    app_error = as_app_error(request, error)
    audit_error(request, app_error)
    if app_error.status >= 500 and app_error.code not in LOGGED_ELSEWHERE:
        log.error("%s", app_error, exc_info=error if app_error.code == "internal" else None)
    # Errors are specific to one user and one moment.
    headers = {"cache-control": "private, no-store"}
    if "seconds" in app_error.inputs:
        headers["retry-after"] = str(app_error.inputs["seconds"])
    body = Problem(app_error.code, app_error.inputs)
    return Response(
        body, status_code=app_error.status, media_type="application/json", headers=headers
    )


def as_app_error(request: Request, error: Exception) -> AppError:
    match error:
        case AppError():
            return error
        case RequestEntityTooLarge():
            limit = request.route_handler.resolve_request_max_body_size()
            return AppError(413, "too_large", limit=limit)
        case InternalServerException(detail="client disconnected prematurely"):
            # Not an error of the server; the edge drops this response.
            return AppError(400, "invalid_json")
        case InternalServerException(__cause__=msgspec.ValidationError() as cause) if (
            found := _INVALID_BODY_FIELD.search(str(cause))
        ):
            # Litestar takes an invalid body field for an invalid dependency if their names are
            # equal, and reports a server error.
            field = found["field"]
            return AppError(400, "invalid_request", **({"field": field} if field else {}))
        case ValidationException():
            return AppError(400, "invalid_request", **_field(error))
        case MethodNotAllowedException():
            return AppError(405, "method_not_allowed")
        case ClientException() if error.status_code == 400:
            return AppError(400, "invalid_json")
        case HTTPException() if error.status_code < 500:
            return AppError(error.status_code, "not_found")
        case _:
            return AppError(500, "internal", requestId=request_id.get())


def _field(error: ValidationException) -> dict[str, object]:
    """Return the first invalid field.

    Validation messages are English only and therefore left out.
    """
    extra = error.extra
    first = extra[0] if isinstance(extra, list) and extra else {}
    if not isinstance(first, dict):
        return {}
    # The key of an unknown field is that of the object which contains it.
    unknown = _UNKNOWN_FIELD.search(first.get("message", ""))
    field = unknown[1] if unknown else first.get("key")
    return {"field": field} if field else {}
