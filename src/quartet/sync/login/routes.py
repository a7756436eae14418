from litestar import Response, get, post

from quartet.kernel.service import Identity
from quartet.kernel.web import PUBLIC, Injected, JSONBody, Request, identity_of
from quartet.sync.accounts.access import READER
from quartet.sync.accounts.types import FIRST_ADMIN
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
    name = data.account.strip().lower() or FIRST_ADMIN
    token, answer = await login.log_in(request, name, data.password)
    # The audit log names the account.
    request.scope["state"]["identity"] = Identity(name, "session")
    return Response(answer, cookies=[login.sessions.cookie(request, token)])


@post("/api/logout", status_code=204, **READER)
async def log_out(request: Request, login: Injected[Login]) -> Response[None]:
    """End the session."""
    await login.log_out(identity_of(request))
    return Response(None, status_code=204, cookies=[login.sessions.expired_cookie(request)])


ROUTES = [session, log_in, log_out]
