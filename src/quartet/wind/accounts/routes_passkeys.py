from litestar import Response, delete, patch, post

from quartet.kernel.service import header
from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.wind.accounts.ceremonies import BegunCeremony
from quartet.wind.accounts.cookies import ceremony_cookie, ceremony_of, clear_ceremony_cookie
from quartet.wind.accounts.current_user import OWN, Id, account_of
from quartet.wind.accounts.passkeys import Passkeys
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.sign_in_response import PUBLIC_NO_STORE, sign_in_response
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


def _options_response(request: Request, begun: BegunCeremony) -> Response[Options]:
    return Response(Options(begun.options), cookies=[ceremony_cookie(request, begun.token)])


@post("/api/auth/signup", status_code=200, **PUBLIC_NO_STORE)
async def begin_sign_up(
    request: Request, data: JSONBody[PasskeySignUp], passkeys: Injected[Passkeys]
) -> Response[Options]:
    """First step of signing up with a passkey: returns the options for the device."""
    language = language_of(data.language, header(request, "accept-language"))
    return _options_response(request, await passkeys.begin_sign_up(request, data, language))


@post("/api/auth/signup/finish", status_code=200, **PUBLIC_NO_STORE)
async def finish_sign_up(
    request: Request,
    data: JSONBody[Registration],
    passkeys: Injected[Passkeys],
    accounts: Injected[Accounts],
) -> Response[Me]:
    """Second step: checks the device's response, creates the account and signs in."""
    result = await passkeys.finish_sign_up(request, ceremony_of(request), data)
    return sign_in_response(request, accounts, result, result.me, clear_ceremony_cookie(request))


@post("/api/auth/signin", status_code=200, **PUBLIC_NO_STORE)
async def begin_sign_in(request: Request, passkeys: Injected[Passkeys]) -> Response[Options]:
    """First step of signing in with a passkey; no user name is needed."""
    return _options_response(request, await passkeys.begin_sign_in(request))


@post("/api/auth/signin/finish", status_code=200, audit="signed_in", **PUBLIC_NO_STORE)
async def finish_sign_in(
    request: Request,
    data: JSONBody[Assertion],
    passkeys: Injected[Passkeys],
    accounts: Injected[Accounts],
) -> Response[Me]:
    """Second step: checks the device's response and signs in."""
    result = await passkeys.finish_sign_in(request, ceremony_of(request), data.credential)
    return sign_in_response(request, accounts, result, result.me, clear_ceremony_cookie(request))


@post("/api/auth/passkeys", status_code=200, **OWN)
async def begin_adding(request: Request, passkeys: Injected[Passkeys]) -> Response[Options]:
    """First step of adding another passkey."""
    return _options_response(request, await passkeys.begin_adding(request, identity_of(request)))


@post("/api/auth/passkeys/finish", status_code=200, audit="passkey_added", **OWN)
async def finish_adding(
    request: Request, data: JSONBody[Registration], passkeys: Injected[Passkeys]
) -> Response[Me]:
    """Second step: adds the passkey to the account."""
    me = await passkeys.finish_adding(request, identity_of(request), ceremony_of(request), data)
    return Response(me, cookies=[clear_ceremony_cookie(request)])


@patch("/api/auth/passkeys/{passkey:int}", **OWN)
async def rename(
    request: Request, passkey: Id, data: JSONBody[PasskeyName], passkeys: Injected[Passkeys]
) -> PasskeyShown:
    """Rename a passkey."""
    return await passkeys.rename(account_of(request), passkey, data.name)


@delete("/api/auth/passkeys/{passkey:int}", audit="deleted", **OWN)
async def remove(request: Request, passkey: Id, passkeys: Injected[Passkeys]) -> None:
    """Delete a passkey, unless it is the only way to sign in."""
    await passkeys.delete(identity_of(request), passkey)


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
