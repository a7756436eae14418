"""Every error that reaches the web, as the one body: a code with its inputs."""

import logging

from litestar import Response
from litestar.exceptions import HTTPException, MethodNotAllowedException, ValidationException
from litestar.exceptions.http_exceptions import ClientException, RequestEntityTooLarge

from quartet.kernel.errors import AppError, Problem
from quartet.kernel.log import request_id
from quartet.kernel.web import Request

log = logging.getLogger("quartet.app")

MAX_BODY_BYTES = 8 * 1024 * 1024


def error_response(_request: Request, error: Exception) -> Response[Problem]:
    known = as_app_error(error)
    if known.status >= 500 and known.code != "stopping":
        log.error("%s", known, exc_info=error if known.code == "internal" else None)
    # An error is about one person and one moment.
    headers = {"cache-control": "private, no-store"}
    if "seconds" in known.inputs:
        headers["retry-after"] = str(known.inputs["seconds"])
    body = Problem(known.code, known.inputs)
    return Response(body, status_code=known.status, media_type="application/json", headers=headers)


def as_app_error(error: Exception) -> AppError:
    match error:
        case AppError():
            return error
        case RequestEntityTooLarge():
            return AppError(413, "too_large", limit=MAX_BODY_BYTES)
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
    """The first field that does not fit; what is wrong with it stays English and is left out."""
    extra = error.extra
    first = extra[0] if isinstance(extra, list) and extra else {}
    field = first.get("key") if isinstance(first, dict) else None
    return {"field": field} if field else {}
