"""Current user and route options shared by the handlers of every feature with accounts."""

from typing import Annotated, Any

from litestar.params import PathParameter

from quartet.kernel.service import Connection
from quartet.kernel.web import identity_of

# Personal responses must not be stored by any cache. Usage: `@get("/api/gear", **OWN)`.
_NO_STORE = {"cache-control": "private, no-store"}
OWN: dict[str, Any] = {"response_headers": _NO_STORE}
# Only for admins. Usage: `@get("/api/admin/users", **ADMIN)`.
ADMIN: dict[str, Any] = {"opt": {"admin": True}, "response_headers": _NO_STORE}
# A numeric id in a path.
Id = Annotated[int, PathParameter(ge=1, le=2**62)]


def account_of(request: Connection) -> int:
    """Return the id of the signed-in user."""
    return int(identity_of(request).subject)
