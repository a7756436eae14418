"""Routes of a user's own account."""

from typing import Any

from litestar import Response, delete, get, patch, post, put
from litestar.params import FromPath

from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.wind.accounts.current_user import OWN, account_of
from quartet.wind.accounts.passwords import PasswordLogin
from quartet.wind.accounts.profile import Profile
from quartet.wind.accounts.routes_passkeys import PASSKEY_ROUTES
from quartet.wind.accounts.routes_passwords import PASSWORD_ROUTES
from quartet.wind.accounts.routes_recovery import RECOVERY_ROUTES
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.sign_in_response import PUBLIC_NO_STORE, sign_in_response
from quartet.wind.accounts.types import Me, MeChange, PasswordChange, SessionState
from quartet.wind.accounts.users import Users


@get("/api/me", **OWN)
async def me(request: Request, accounts: Injected[Accounts]) -> Me:
    """Your account, with its passkeys and signed-in browsers."""
    return await accounts.me(identity_of(request))


@get("/api/auth/session", **PUBLIC_NO_STORE)
async def session_state(request: Request, accounts: Injected[Accounts]) -> SessionState:
    """Whether this browser is signed in; unlike `/api/me` it never refuses."""
    return SessionState(await accounts.is_signed_in(request))


@patch("/api/me", **OWN)
async def change(request: Request, data: JSONBody[MeChange], profile: Injected[Profile]) -> Me:
    """Change name, language, units or address.

    If mail is set up, a new address must be confirmed first.
    """
    return await profile.change(identity_of(request), data)


@delete("/api/me", audit="deleted", **OWN)
async def remove(
    request: Request, profile: Injected[Profile], accounts: Injected[Accounts]
) -> Response[None]:
    """Delete the account and all its data immediately."""
    await profile.delete(identity_of(request))
    return Response(None, status_code=204, cookies=[accounts.sessions.expired_cookie(request)])


@get("/api/me/export", audit="exported", **OWN)
async def export(request: Request, users: Injected[Users]) -> dict[str, Any]:
    """Export all data stored about you."""
    return await users.export(account_of(request))


@put("/api/me/password", audit="password_changed", **OWN)
async def set_password(
    request: Request,
    data: JSONBody[PasswordChange],
    password_login: Injected[PasswordLogin],
    accounts: Injected[Accounts],
) -> Response[Me]:
    """Set or change the password. All other browsers are signed out."""
    result = await password_login.change(request, identity_of(request), data)
    return sign_in_response(request, accounts, result, result.me)


@post("/api/auth/signout", status_code=204, **PUBLIC_NO_STORE)
async def sign_out(request: Request, accounts: Injected[Accounts]) -> Response[None]:
    """End the session of this browser."""
    await accounts.sign_out(request)
    return Response(None, status_code=204, cookies=[accounts.sessions.expired_cookie(request)])


@post("/api/auth/signout/others", status_code=200, audit="sessions_ended", **OWN)
async def sign_out_others(request: Request, accounts: Injected[Accounts]) -> Me:
    """End the sessions of all other browsers."""
    return await accounts.sign_out_others(identity_of(request))


@delete("/api/auth/sessions/{session:str}", status_code=200, audit="sessions_ended", **OWN)
async def sign_out_one(
    request: Request, session: FromPath[str], accounts: Injected[Accounts]
) -> Me:
    """End the session of one browser, named by its id."""
    return await accounts.sign_out_one(identity_of(request), session)


ROUTES = [
    me,
    session_state,
    change,
    remove,
    export,
    set_password,
    sign_out,
    sign_out_others,
    sign_out_one,
    *PASSKEY_ROUTES,
    *PASSWORD_ROUTES,
    *RECOVERY_ROUTES,
]
