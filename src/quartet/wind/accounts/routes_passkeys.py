from litestar import Response, delete, patch, post

from quartet.kernel.service import header
from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.wind.accounts.asking import OWN, Id, account_of
from quartet.wind.accounts.cookies import ceremony_cookie, ceremony_of, no_ceremony
from quartet.wind.accounts.entering import DOOR, entered
from quartet.wind.accounts.passkeys import Asked, Passkeys
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.types import (
    Assertion,
    Me,
    Options,
    PasskeyName,
    PasskeyShown,
    PasskeySignUp,
    Registration,
)
from quartet.wind.languages import language_of

# No database counts further.


def _asked(request: Request, asked: Asked) -> Response[Options]:
    return Response(Options(asked.options), cookies=[ceremony_cookie(request, asked.token)])


@post("/api/auth/signup", status_code=200, **DOOR)
async def begin_sign_up(
    request: Request, data: JSONBody[PasskeySignUp], passkeys: Injected[Passkeys]
) -> Response[Options]:
    """First step of signing up with a passkey: what to ask the device."""
    language = language_of(data.language, header(request, "accept-language"))
    return _asked(request, await passkeys.begin_sign_up(request, data, language))


@post("/api/auth/signup/finish", status_code=200, **DOOR)
async def finish_sign_up(
    request: Request,
    data: JSONBody[Registration],
    passkeys: Injected[Passkeys],
    accounts: Injected[Accounts],
) -> Response[Me]:
    """Second step: the device's answer makes the account and signs in."""
    result = await passkeys.finish_sign_up(request, ceremony_of(request), data)
    return entered(request, accounts, result, result.me, no_ceremony(request))


@post("/api/auth/signin", status_code=200, **DOOR)
async def begin_sign_in(request: Request, passkeys: Injected[Passkeys]) -> Response[Options]:
    """First step of signing in with a passkey; nobody has to be named."""
    return _asked(request, await passkeys.begin_sign_in(request))


@post("/api/auth/signin/finish", status_code=200, **DOOR)
async def finish_sign_in(
    request: Request,
    data: JSONBody[Assertion],
    passkeys: Injected[Passkeys],
    accounts: Injected[Accounts],
) -> Response[Me]:
    """Second step: the device's answer signs in."""
    result = await passkeys.finish_sign_in(request, ceremony_of(request), data.credential)
    return entered(request, accounts, result, result.me, no_ceremony(request))


@post("/api/auth/passkeys", status_code=200, **OWN)
async def begin_adding(request: Request, passkeys: Injected[Passkeys]) -> Response[Options]:
    """First step of adding another passkey."""
    return _asked(request, await passkeys.begin_adding(request, identity_of(request)))


@post("/api/auth/passkeys/finish", status_code=200, **OWN)
async def finish_adding(
    request: Request, data: JSONBody[Registration], passkeys: Injected[Passkeys]
) -> Response[Me]:
    """Second step: the passkey belongs to the account."""
    me = await passkeys.finish_adding(request, identity_of(request), ceremony_of(request), data)
    return Response(me, cookies=[no_ceremony(request)])


@patch("/api/auth/passkeys/{passkey:int}", **OWN)
async def rename(
    request: Request, passkey: Id, data: JSONBody[PasskeyName], passkeys: Injected[Passkeys]
) -> PasskeyShown:
    """Gives a passkey another name."""
    return await passkeys.rename(account_of(request), passkey, data.name)


@delete("/api/auth/passkeys/{passkey:int}", **OWN)
async def remove(request: Request, passkey: Id, passkeys: Injected[Passkeys]) -> None:
    """Deletes a passkey, but never the only way in."""
    await passkeys.delete(account_of(request), passkey)


PASSKEY_ROUTES = [
    begin_sign_up,
    finish_sign_up,
    begin_sign_in,
    finish_sign_in,
    begin_adding,
    finish_adding,
    rename,
    remove,
]
