from litestar import Response, get, post

from quartet.kernel.web import PUBLIC, Injected, JSONBody, Request, identity_of
from quartet.sync.login.service import Login
from quartet.sync.login.types import LoggedIn, Password, SessionState


@get("/api/session", **PUBLIC)
async def session(request: Request, login: Injected[Login]) -> SessionState:
    """Return whether a password is set and whether the session is valid."""
    return await login.state(request)


@post("/api/login", status_code=200, audit="signed_in", **PUBLIC)
async def log_in(
    request: Request, data: JSONBody[Password], login: Injected[Login]
) -> Response[LoggedIn]:
    """Start a session; every change must then send the token in X-CSRF-Token."""
    token, answer = await login.log_in(request, data.password)
    return Response(answer, cookies=[login.sessions.cookie(request, token)])


@post("/api/logout", status_code=204)
async def log_out(request: Request, login: Injected[Login]) -> Response[None]:
    """End the session."""
    await login.log_out(identity_of(request))
    return Response(None, status_code=204, cookies=[login.sessions.expired_cookie(request)])


ROUTES = [session, log_in, log_out]
