from litestar import Response, get, post

from quartet.kernel.web import PUBLIC, Injected, JSONBody, Request
from quartet.media.login.service import Login
from quartet.media.login.types import SessionState, Token


@get("/api/session", **PUBLIC)
async def session(request: Request, login: Injected[Login]) -> SessionState:
    """Returns whether a login is required and whether this session is valid."""
    return await login.state(request)


@post("/api/login", status_code=204, audit="signed_in", **PUBLIC)
async def log_in(request: Request, data: JSONBody[Token], login: Injected[Login]) -> Response[None]:
    """Starts a session with the access token."""
    token = await login.log_in(request, data.token)
    return Response(None, status_code=204, cookies=[login.sessions.cookie(request, token)])


@post("/api/logout", status_code=204, **PUBLIC)
async def log_out(request: Request, login: Injected[Login]) -> Response[None]:
    """Ends the session."""
    await login.log_out(request)
    return Response(None, status_code=204, cookies=[login.sessions.expired_cookie(request)])


ROUTES = [session, log_in, log_out]
