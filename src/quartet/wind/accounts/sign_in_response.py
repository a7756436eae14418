"""Response of every way to sign in."""

from typing import Any, TypeVar

from litestar import Response
from litestar.datastructures import Cookie

from quartet.kernel.service import Connection
from quartet.kernel.web import PUBLIC
from quartet.wind.accounts.cookies import known_cookie
from quartet.wind.accounts.current_user import OWN
from quartet.wind.accounts.rate_limits import known_browser_mark
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.types import SignInResult

T = TypeVar("T")

# A public route whose response must not be cached.
PUBLIC_NO_STORE: dict[str, Any] = {**PUBLIC, **OWN}


def sign_in_response(
    connection: Connection,
    accounts: Accounts,
    result: SignInResult | None,
    answer: T,
    *more: Cookie,
    status: int = 200,
) -> Response[T]:
    """Return the response, with session and known-browser cookies after a sign-in."""
    cookies = list(more)
    if result is not None:
        cookies.append(accounts.sessions.cookie(connection, result.token))
        cookies.append(known_cookie(connection, known_browser_mark(result.handle)))
    return Response(answer, status_code=status, cookies=cookies)
