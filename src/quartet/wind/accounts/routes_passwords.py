from litestar import Response, post

from quartet.kernel.service import header
from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.wind.accounts.cookies import known_browser_mark_in
from quartet.wind.accounts.current_user import OWN
from quartet.wind.accounts.passwords import PasswordLogin
from quartet.wind.accounts.profile import Profile
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.sign_in_response import PUBLIC_NO_STORE, sign_in_response
from quartet.wind.accounts.types import (
    Confirmed,
    Forgotten,
    InviteCode,
    Link,
    Me,
    PasswordSignIn,
    PasswordSignUp,
    SignedUp,
)
from quartet.wind.languages import language_of


@post("/api/auth/signup/password", status_code=202, **PUBLIC_NO_STORE)
async def sign_up(
    request: Request,
    data: JSONBody[PasswordSignUp],
    password_login: Injected[PasswordLogin],
    accounts: Injected[Accounts],
) -> Response[SignedUp]:
    """Sign up with e-mail and password.

    The response does not reveal whether the address is known.
    """
    language = language_of(data.language, header(request, "accept-language"))
    result = await password_login.sign_up(request, data, language)
    return sign_in_response(
        request, accounts, result, SignedUp(password_login.requires_confirmation), status=202
    )


@post("/api/auth/invite", status_code=204, **PUBLIC_NO_STORE)
async def check_invite(
    request: Request, data: JSONBody[InviteCode], password_login: Injected[PasswordLogin]
) -> None:
    """Whether an invite can be used now, so that no form is shown that cannot succeed."""
    await password_login.check_invite(request, data.code)


@post("/api/auth/signin/password", status_code=200, audit="signed_in", **PUBLIC_NO_STORE)
async def sign_in(
    request: Request,
    data: JSONBody[PasswordSignIn],
    password_login: Injected[PasswordLogin],
    accounts: Injected[Accounts],
) -> Response[Me]:
    """Sign in with e-mail and password."""
    result = await password_login.sign_in(request, data, known_browser_mark_in(request))
    return sign_in_response(request, accounts, result, result.me)


@post("/api/auth/password/forgot", status_code=204, **PUBLIC_NO_STORE)
async def forgot(
    request: Request, data: JSONBody[Forgotten], password_login: Injected[PasswordLogin]
) -> None:
    """Send a link to reset the password, if the address has an account."""
    await password_login.forgot(request, data.email)


@post("/api/auth/confirm", status_code=200, **PUBLIC_NO_STORE)
async def confirm(
    request: Request,
    data: JSONBody[Link],
    profile: Injected[Profile],
    accounts: Injected[Accounts],
) -> Response[Confirmed]:
    """Confirm an address with the token from the mail. A new account is signed in."""
    result = await profile.confirm(request, data.token)
    return sign_in_response(request, accounts, result, Confirmed("sign_up" if result else "email"))


@post("/api/auth/confirm/again", status_code=204, **OWN)
async def confirm_again(request: Request, profile: Injected[Profile]) -> None:
    """Resend the mail that confirms your address."""
    await profile.confirm_again(identity_of(request))


PASSWORD_ROUTES = [sign_up, check_invite, sign_in, forgot, confirm, confirm_again]
