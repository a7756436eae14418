from litestar import Response, get, post

from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.login.service import Login
from quartet.downloads.login.types import (
    ApiToken,
    Credentials,
    FirstUser,
    LoginState,
    PasswordChange,
)
from quartet.kernel.service import Identity
from quartet.kernel.web import PUBLIC, Injected, JSONBody, Request, identity_of


@get("/api/auth/state", **PUBLIC)
async def state(request: Request, login: Injected[Login]) -> LoginState:
    """Return whether a user exists and whether the session is valid."""
    return await login.state(request)


@post("/api/auth/setup", status_code=204, audit="signed_in", **PUBLIC)
async def set_up(
    request: Request, data: JSONBody[FirstUser], login: Injected[Login]
) -> Response[None]:
    """Create the first user and sign in."""
    token = await login.set_up(request, data)
    return _logged_in(request, login, data.user, token)


@post("/api/auth/login", status_code=204, audit="signed_in", **PUBLIC)
async def log_in(
    request: Request, data: JSONBody[Credentials], login: Injected[Login]
) -> Response[None]:
    """Sign in."""
    token = await login.log_in(request, data)
    return _logged_in(request, login, data.user, token)


@post("/api/auth/logout", status_code=204, **PUBLIC)
async def log_out(request: Request, login: Injected[Login]) -> Response[None]:
    """Sign out."""
    await login.log_out(request)
    return Response(None, status_code=204, cookies=[login.sessions.expired_cookie(request)])


@post("/api/auth/password", status_code=204, audit="password_changed")
async def change_password(
    request: Request, data: JSONBody[PasswordChange], login: Injected[Login]
) -> None:
    """Change the password and end all other sessions."""
    await login.change_password(request, identity_of(request), data)


@post("/api/settings/api-token", status_code=200, audit="token_created")
async def new_api_token(login: Injected[Login]) -> ApiToken:
    """Create a new API token, which is shown once; the old one becomes invalid."""
    return ApiToken(await login.new_api_token())


def _logged_in(request: Request, login: Login, user: str, token: str) -> Response[None]:
    # The audit log names the user.
    request.scope["state"]["identity"] = Identity(clean_text(user), "session")
    return Response(None, status_code=204, cookies=[login.sessions.cookie(request, token)])


ROUTES = [state, set_up, log_in, log_out, change_password, new_api_token]
