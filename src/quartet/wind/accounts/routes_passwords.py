from litestar import Response, post

from quartet.kernel.service import header
from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.wind.accounts.asking import OWN
from quartet.wind.accounts.cookies import mark_in
from quartet.wind.accounts.entering import DOOR, entered
from quartet.wind.accounts.passwords import PasswordDoor
from quartet.wind.accounts.profile import Profile
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.types import (
    Confirmed,
    Forgotten,
    Link,
    Me,
    PasswordSignIn,
    PasswordSignUp,
    Reset,
    SignedUp,
)
from quartet.wind.languages import language_of


@post("/api/auth/signup/password", status_code=202, **DOOR)
async def sign_up(
    request: Request,
    data: JSONBody[PasswordSignUp],
    password_door: Injected[PasswordDoor],
    accounts: Injected[Accounts],
) -> Response[SignedUp]:
    """Signs up with e-mail and password; says nothing about whether the address is known."""
    language = language_of(data.language, header(request, "accept-language"))
    result = await password_door.sign_up(request, data, language)
    return entered(request, accounts, result, SignedUp(password_door.confirms), status=202)


@post("/api/auth/signin/password", status_code=200, **DOOR)
async def sign_in(
    request: Request,
    data: JSONBody[PasswordSignIn],
    password_door: Injected[PasswordDoor],
    accounts: Injected[Accounts],
) -> Response[Me]:
    """Signs in with e-mail and password."""
    result = await password_door.sign_in(request, data, mark_in(request))
    return entered(request, accounts, result, result.me)


@post("/api/auth/password/forgot", status_code=204, **DOOR)
async def forgot(
    request: Request, data: JSONBody[Forgotten], password_door: Injected[PasswordDoor]
) -> None:
    """Sends a link for a new password, if the address has an account."""
    await password_door.forgot(request, data.email)


@post("/api/auth/password/reset", status_code=200, **DOOR)
async def reset(
    request: Request,
    data: JSONBody[Reset],
    password_door: Injected[PasswordDoor],
    accounts: Injected[Accounts],
) -> Response[Me]:
    """Sets a new password with the link of a mail, and signs in."""
    result = await password_door.reset(request, data)
    return entered(request, accounts, result, result.me)


@post("/api/auth/confirm", status_code=200, **DOOR)
async def confirm(
    request: Request,
    data: JSONBody[Link],
    profile: Injected[Profile],
    accounts: Injected[Accounts],
) -> Response[Confirmed]:
    """Confirms an address with the link of a mail; a new account is signed in."""
    result = await profile.confirm(request, data.token)
    return entered(request, accounts, result, Confirmed("sign_up" if result else "email"))


@post("/api/auth/confirm/again", status_code=204, **OWN)
async def confirm_again(request: Request, profile: Injected[Profile]) -> None:
    """Sends the confirmation of one's address once more."""
    await profile.confirm_again(identity_of(request))


PASSWORD_ROUTES = [sign_up, sign_in, forgot, reset, confirm, confirm_again]
