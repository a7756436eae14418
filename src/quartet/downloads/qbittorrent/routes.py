import logging
from typing import Any

import msgspec
from litestar import Response, post, route
from litestar.datastructures import Cookie, UploadFile
from litestar.enums import HttpMethod
from litestar.params import FromPath

from quartet.downloads.containers.service import LARGEST_FILE
from quartet.downloads.qbittorrent.fields import Answer, Fields
from quartet.downloads.qbittorrent.login import COOKIE, PREFIX, ClientLogin
from quartet.downloads.qbittorrent.read_methods import ReadMethods
from quartet.downloads.qbittorrent.write_methods import FAILS, OK, WriteMethods
from quartet.kernel.audit import audit_action, audit_error
from quartet.kernel.auth.cookies import is_secure
from quartet.kernel.error_responses import as_app_error
from quartet.kernel.errors import AppError
from quartet.kernel.web import Injected, Request

log = logging.getLogger("quartet.downloads.qbittorrent")


def _failure(request: Request, error: Exception) -> Response[str]:
    """Answer with the status codes of qBittorrent and a text, which clients log."""
    app_error = as_app_error(request, error)
    audit_error(request, app_error)
    if app_error.status >= 500:
        log.error("%s", app_error, exc_info=error if app_error.code == "internal" else None)
    if app_error.code == "wrong_credentials":
        return Response(FAILS, status_code=200, media_type="text/plain")
    # Clients sign in again after a 403, and do not know 401 and 429.
    status = 403 if app_error.status in (401, 429) else app_error.status
    seconds = app_error.inputs.get("seconds")
    headers = {"retry-after": str(seconds)} if seconds else {}
    return Response(str(app_error), status_code=status, media_type="text/plain", headers=headers)


_OPTIONS: dict[str, Any] = {
    "include_in_schema": False,
    "exception_handlers": {Exception: _failure},
    "status_code": 200,
}


@post(f"{PREFIX}auth/login", opt={"public": True, "accepts": "a form"}, **_OPTIONS)
async def log_in(request: Request, qbittorrent_login: Injected[ClientLogin]) -> Response[str]:
    """Sign in a qBittorrent client."""
    qbittorrent_login.check_page(request)
    fields = await _fields(request)
    sid = await qbittorrent_login.log_in(request, fields.text("username"), fields.text("password"))
    audit_action("signed_in", request)
    cookies = [_cookie(request, sid)]
    return Response(OK, media_type="text/plain", cookies=cookies)


@post(f"{PREFIX}auth/logout", **_OPTIONS)
async def log_out(request: Request, qbittorrent_login: Injected[ClientLogin]) -> Response[str]:
    """Sign out a qBittorrent client."""
    await qbittorrent_login.log_out(request)
    return Response("", media_type="text/plain", cookies=[_cookie(request, "")])


@post(f"{PREFIX}torrents/delete", audit="deleted", **_OPTIONS)
async def delete(request: Request, qbittorrent_write: Injected[WriteMethods]) -> Response[bytes]:
    """Remove packages."""
    await qbittorrent_write.delete(await _fields(request))
    return _response(None)


@route(
    f"{PREFIX}{{scope_name:str}}/{{method_name:str}}",
    http_method=[HttpMethod.GET, HttpMethod.POST],
    **_OPTIONS,
)
async def call(
    request: Request,
    scope_name: FromPath[str],
    method_name: FromPath[str],
    qbittorrent_read: Injected[ReadMethods],
    qbittorrent_write: Injected[WriteMethods],
) -> Response[bytes]:
    """Answer a qBittorrent client."""
    name = f"{scope_name}/{method_name}"
    if read := qbittorrent_read.methods().get(name):
        return _response(await read(await _fields(request)))
    change = qbittorrent_write.methods().get(name)
    if change is None:
        raise AppError(404, "not_found")
    if request.method == "GET":
        raise AppError(405, "method_not_allowed")
    return _response(await change(await _fields(request)))


def _cookie(request: Request, value: str) -> Cookie:
    """Return a cookie for this interface; an empty value removes it."""
    return Cookie(
        key=COOKIE,
        value=value,
        path="/",
        max_age=None if value else 0,
        httponly=True,
        samesite="strict",
        secure=is_secure(request),
    )


async def _fields(request: Request) -> Fields:
    """Return the parameters of the query and of the form."""
    values = dict(request.query_params)
    files: list[bytes] = []
    if request.method == "POST":
        for name, value in (await request.form()).multi_items():
            if isinstance(value, UploadFile):
                files.append(await value.read(LARGEST_FILE + 1))
            else:
                values[name] = str(value)
    return Fields(values, files)


def _response(answer: Answer) -> Response[bytes]:
    if answer is None or isinstance(answer, str):
        return Response((answer or "").encode(), media_type="text/plain")
    return Response(msgspec.json.encode(answer), media_type="application/json")


ROUTES = [log_in, log_out, delete, call]
