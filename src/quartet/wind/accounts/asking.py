"""Who asks, for the handlers of all rooms that belong to somebody."""

from typing import Annotated, Any

from litestar.params import PathParameter

from quartet.kernel.service import Connection
from quartet.kernel.web import identity_of

# What one person is told is for nobody else, and no cache keeps it: `@get("/api/gear", **OWN)`.
_KEPT_BY_NOBODY = {"cache-control": "private, no-store"}
OWN: dict[str, Any] = {"response_headers": _KEPT_BY_NOBODY}
# A handler for admins: `@get("/api/admin/users", **ADMIN)`.
ADMIN: dict[str, Any] = {"opt": {"admin": True}, "response_headers": _KEPT_BY_NOBODY}
# A number in an address.
Id = Annotated[int, PathParameter(ge=1, le=2**62)]


def account_of(request: Connection) -> int:
    """The id of the person who is signed in."""
    return int(identity_of(request).subject)
