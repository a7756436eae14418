"""Who may do what: the one place where the role and the folders of a person are checked.

A route without a mark needs the role "admin", so that a new route is never open by mistake. All
routes about one folder or device name it `folder_id` or `device_id` in their path.
"""

from typing import Any

from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection
from quartet.sync.accounts.types import RANKS, Role, View

# Usage: `@get("/api/overview", **READER)`.
READER: dict[str, Any] = {"opt": {"role": "reader"}}
EDITOR: dict[str, Any] = {"opt": {"role": "editor"}}
# Routes of the kernel about the caller alone.
_OWN = frozenset({"list_sessions", "end_session", "end_other_sessions"})


def check_access(connection: Connection, role: Role, view: View | None) -> None:
    """Raise unless the person may use this route with this folder and device."""
    handler: Any = connection.scope["route_handler"]
    needed: Role = handler.opt.get("role", "admin")
    if handler.handler_name in _OWN:
        needed = "reader"
    if RANKS[role] < RANKS[needed]:
        raise AppError(403, "role_missing", role=needed)
    connection.scope["state"]["view"] = view
    if view is None:
        return
    named: dict[str, Any] = connection.scope["path_params"]
    if "folder_id" in named and named["folder_id"] not in view.folders:
        raise AppError(404, "folder_not_found", id=named["folder_id"])
    if "device_id" in named and named["device_id"] not in view.devices:
        raise AppError(404, "device_not_found", id=named["device_id"])


def view_of(connection: Connection) -> View | None:
    """Return what the caller sees; None means everything."""
    view: View | None = connection.scope["state"]["view"]
    return view
