"""The Click'n'Load port, which the server and `quartet cnl-forward` both provide."""

import errno
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from quartet.downloads import side_ports
from quartet.downloads.clicknload.guard import ClickNLoadGuard
from quartet.downloads.clicknload.types import Action, Form
from quartet.kernel.errors import AppError

LARGEST_FORM = 4 << 20
# Pages only check for these two variables.
CHECK = "jdownloader=true;\nvar version='43307';\n"
POLICY = (
    '<?xml version="1.0"?>\n'
    '<!DOCTYPE cross-domain-policy SYSTEM "http://www.macromedia.com/xml/dtds/'
    'cross-domain-policy.dtd">\n'
    '<cross-domain-policy><allow-access-from domain="*" /></cross-domain-policy>\n'
)
GREETING = "JDownloader\r\n"
# The responses contain no secrets, so scripts of any page may read them.
OPEN_TO_PAGES = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Allow-Private-Network": "true",
}


class Reply(NamedTuple):
    status: int
    text: str


# Processes a form; the last argument is the Referer.
Submit = Callable[[Action, Form, str], Awaitable[Reply]]


def application(guard: ClickNLoadGuard, submit: Submit) -> web.Application:
    async def post(request: web.Request) -> web.Response:
        guard.count()
        action: Action = "add" if request.path == "/flash/add" else "addcrypted2"
        referer = request.headers.get("Referer", "")
        status, text = await submit(action, await _form(request), referer)
        return web.Response(status=status, text=text)

    app = web.Application(middlewares=[_guarded(guard)], client_max_size=LARGEST_FORM)
    app.router.add_get("/jdcheck.js", _constant(CHECK, "text/javascript"))
    app.router.add_get("/crossdomain.xml", _constant(POLICY, "text/xml"))
    for path in ("/flash", "/flash/"):
        app.router.add_get(path, _constant(GREETING, "text/plain"))
    for path in ("/flash/add", "/flash/addcrypted2"):
        app.router.add_post(path, post)
        app.router.add_options(path, _constant("", "text/plain"))
    return app


@asynccontextmanager
async def listening(app: web.Application, host: str, port: int) -> AsyncIterator[int]:
    """Listen and yield the port; raises an error code if the address is not available."""
    try:
        async with side_ports.listening(app, host, port) as found:
            yield found
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise AppError(409, "cnl_port_taken", port=port) from None
        raise AppError(500, "cnl_address_unusable", host=host, port=port) from None


def failed(error: AppError) -> Reply:
    return Reply(error.status, f"failed: {error.code}\r\n")


def _guarded(guard: ClickNLoadGuard) -> Middleware:
    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            headers = request.headers
            guard.check(request.remote, headers.get("Host", ""), headers.get("Origin"))
            response = await handler(request)
        except AppError as error:
            status, text = failed(error)
            response = web.Response(status=status, text=text)
        except web.HTTPException as error:
            response = web.Response(status=error.status, headers=_allow(error))
        response.headers.update(OPEN_TO_PAGES)
        return response

    return middleware


def _allow(error: web.HTTPException) -> dict[str, str]:
    return {"Allow": error.headers["Allow"]} if "Allow" in error.headers else {}


def _constant(text: str, kind: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(text=text, content_type=kind)

    return answer


async def _form(request: web.Request) -> Form:
    try:
        fields = await request.post()
    except ValueError:
        raise AppError(400, "invalid_request") from None
    known = {name: fields.get(name) for name in Form.__struct_fields__}
    return Form(**{name: text for name, text in known.items() if isinstance(text, str)})
