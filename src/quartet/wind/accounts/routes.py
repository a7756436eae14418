"""One's own account."""

from typing import Any

from litestar import Response, delete, get, patch, post, put

from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.wind.accounts.asking import OWN, account_of
from quartet.wind.accounts.entering import DOOR, entered
from quartet.wind.accounts.passwords import PasswordDoor
from quartet.wind.accounts.profile import Profile
from quartet.wind.accounts.routes_passkeys import PASSKEY_ROUTES
from quartet.wind.accounts.routes_passwords import PASSWORD_ROUTES
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.types import Me, MeChange, PasswordChange
from quartet.wind.accounts.users import Users


@get("/api/me", **OWN)
async def me(request: Request, accounts: Injected[Accounts]) -> Me:
    """One's own account, with its passkeys and the browsers that are signed in."""
    return await accounts.me(identity_of(request))


@patch("/api/me", **OWN)
async def change(request: Request, data: JSONBody[MeChange], profile: Injected[Profile]) -> Me:
    """Name, language or address; with mail set up another address waits for its confirmation."""
    return await profile.change(identity_of(request), data)


@delete("/api/me", **OWN)
async def remove(request: Request, accounts: Injected[Accounts]) -> Response[None]:
    """Deletes the account with everything that belongs to it, at once."""
    await accounts.delete(identity_of(request))
    return Response(None, status_code=204, cookies=[accounts.sessions.expired_cookie(request)])


@get("/api/me/export", **OWN)
async def export(request: Request, users: Injected[Users]) -> dict[str, Any]:
    """Everything that is kept of oneself."""
    return await users.export(account_of(request))


@put("/api/me/password", **OWN)
async def set_password(
    request: Request,
    data: JSONBody[PasswordChange],
    password_door: Injected[PasswordDoor],
    accounts: Injected[Accounts],
) -> Response[Me]:
    """Sets or changes the password; every other browser is signed out."""
    result = await password_door.change(request, identity_of(request), data)
    return entered(request, accounts, result, result.me)


@post("/api/auth/signout", status_code=204, **DOOR)
async def sign_out(request: Request, accounts: Injected[Accounts]) -> Response[None]:
    """Ends the session of this browser."""
    await accounts.sign_out(request)
    return Response(None, status_code=204, cookies=[accounts.sessions.expired_cookie(request)])


@post("/api/auth/signout/others", status_code=200, **OWN)
async def sign_out_others(request: Request, accounts: Injected[Accounts]) -> Me:
    """Ends the sessions of all other browsers."""
    return await accounts.sign_out_others(identity_of(request))


ROUTES = [
    me,
    change,
    remove,
    export,
    set_password,
    sign_out,
    sign_out_others,
    *PASSKEY_ROUTES,
    *PASSWORD_ROUTES,
]
