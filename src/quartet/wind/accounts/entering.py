"""What handlers of all doors share."""

from typing import Any, TypeVar

from litestar import Response
from litestar.datastructures import Cookie

from quartet.kernel.service import Connection
from quartet.kernel.web import PUBLIC
from quartet.wind.accounts.asking import OWN
from quartet.wind.accounts.brakes import mark_of
from quartet.wind.accounts.cookies import known_cookie
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.types import Entered

T = TypeVar("T")

# Open to everybody, and its answer is kept by nobody.
DOOR: dict[str, Any] = {**PUBLIC, **OWN}


def entered(
    connection: Connection,
    accounts: Accounts,
    result: Entered | None,
    answer: T,
    *more: Cookie,
    status: int = 200,
) -> Response[T]:
    """The answer with the cookies of whoever has signed in."""
    cookies = list(more)
    if result is not None:
        cookies.append(accounts.sessions.cookie(connection, result.token))
        cookies.append(known_cookie(connection, mark_of(result.handle)))
    return Response(answer, status_code=status, cookies=cookies)
