"""Recent checks, recovery links and recovery codes."""

from litestar import Response, post

from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.wind.accounts.cookies import ceremony_cookie, ceremony_of, clear_ceremony_cookie
from quartet.wind.accounts.current_user import OWN
from quartet.wind.accounts.recent_checks import RecentChecks
from quartet.wind.accounts.recovery_codes import RecoveryCodeLogin
from quartet.wind.accounts.recovery_links import PasswordResets
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.sign_in_response import PUBLIC_NO_STORE, sign_in_response
from quartet.wind.accounts.types import (
    Assertion,
    Link,
    Me,
    Options,
    PasswordCheck,
    RecoveryCodes,
    RecoverySignIn,
    Registration,
    Reset,
    ResetTarget,
)


@post("/api/auth/check/password", status_code=204, **OWN)
async def check_password(
    request: Request, data: JSONBody[PasswordCheck], recent_checks: Injected[RecentChecks]
) -> None:
    """Prove with your password that it is you, before an important change."""
    await recent_checks.by_password(identity_of(request), data.password)


@post("/api/auth/check/passkey", status_code=200, **OWN)
async def begin_passkey_check(
    request: Request, recent_checks: Injected[RecentChecks]
) -> Response[Options]:
    """First step of proving with a passkey that it is you."""
    begun = await recent_checks.begin_passkey(request, identity_of(request))
    return Response(Options(begun.options), cookies=[ceremony_cookie(request, begun.token)])


@post("/api/auth/check/passkey/finish", status_code=204, **OWN)
async def finish_passkey_check(
    request: Request, data: JSONBody[Assertion], recent_checks: Injected[RecentChecks]
) -> Response[None]:
    """Second step: checks the device's response."""
    await recent_checks.finish_passkey(
        request, identity_of(request), ceremony_of(request), data.credential
    )
    return Response(None, status_code=204, cookies=[clear_ceremony_cookie(request)])


@post("/api/me/recovery-codes", status_code=200, audit="recovery_codes_created", **OWN)
async def make_recovery_codes(
    request: Request, recovery_code_login: Injected[RecoveryCodeLogin]
) -> RecoveryCodes:
    """Create new recovery codes, which replace the old ones. They are only shown here."""
    return await recovery_code_login.make(identity_of(request))


@post("/api/auth/signin/recovery", status_code=200, audit="recovery_code_used", **PUBLIC_NO_STORE)
async def sign_in_with_code(
    request: Request,
    data: JSONBody[RecoverySignIn],
    recovery_code_login: Injected[RecoveryCodeLogin],
    accounts: Injected[Accounts],
) -> Response[Me]:
    """Sign in with a recovery code, which can then not be used again."""
    result = await recovery_code_login.sign_in(request, data.code)
    return sign_in_response(request, accounts, result, result.me)


@post("/api/auth/reset", status_code=200, **PUBLIC_NO_STORE)
async def show_reset(
    request: Request, data: JSONBody[Link], password_resets: Injected[PasswordResets]
) -> ResetTarget:
    """Whose access a link restores. The link remains valid."""
    return await password_resets.show(request, data.token)


@post("/api/auth/password/reset", status_code=200, audit="password_changed", **PUBLIC_NO_STORE)
async def reset(
    request: Request,
    data: JSONBody[Reset],
    password_resets: Injected[PasswordResets],
    accounts: Injected[Accounts],
) -> Response[Me]:
    """Set a new password with the token of a link, and sign in."""
    result = await password_resets.set_password(request, data)
    return sign_in_response(request, accounts, result, result.me)


@post("/api/auth/reset/passkey", status_code=200, **PUBLIC_NO_STORE)
async def begin_reset_passkey(
    request: Request, data: JSONBody[Link], password_resets: Injected[PasswordResets]
) -> Response[Options]:
    """First step of adding a passkey with the token of a link."""
    begun = await password_resets.begin_passkey(request, data.token)
    return Response(Options(begun.options), cookies=[ceremony_cookie(request, begun.token)])


@post("/api/auth/reset/passkey/finish", status_code=200, audit="passkey_added", **PUBLIC_NO_STORE)
async def finish_reset_passkey(
    request: Request,
    data: JSONBody[Registration],
    password_resets: Injected[PasswordResets],
    accounts: Injected[Accounts],
) -> Response[Me]:
    """Second step: adds the passkey, uses up the link and signs in."""
    result = await password_resets.finish_passkey(request, ceremony_of(request), data)
    return sign_in_response(request, accounts, result, result.me, clear_ceremony_cookie(request))


RECOVERY_ROUTES = [
    check_password,
    begin_passkey_check,
    finish_passkey_check,
    make_recovery_codes,
    sign_in_with_code,
    show_reset,
    reset,
    begin_reset_passkey,
    finish_reset_passkey,
]
