"""The audit log: one line per security event, in a fixed format that fail2ban can read.

    login_failed client=203.0.113.7 service=media code=wrong_token path=/api/login

`client` comes first, before anything the client can choose.
"""

import logging
from typing import Any, Literal

from quartet.kernel.addresses import parse_address
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection

log = logging.getLogger("quartet.audit")

AuditEvent = Literal["login_failed", "locked_out", "token_refused"]


def audit(event: AuditEvent, connection: Connection, code: str) -> None:
    host = connection.client.host if connection.client else ""
    log.warning(
        "%s client=%s service=%s code=%s path=%s",
        event,
        parse_address(host) or "-",
        _service(connection),
        code,
        connection.scope["path"],
    )


def audit_error(connection: Connection, error: AppError) -> None:
    """Log a response that refuses a login, a token or further attempts."""
    if error.code == "too_many_attempts":
        audit("locked_out", connection, error.code)
    elif error.status == 401 and error.code != "signed_out":
        handler: Any = connection.scope.get("route_handler")
        public = handler is not None and handler.opt.get("public")
        audit("login_failed" if public else "token_refused", connection, error.code)


def _service(connection: Connection) -> str:
    return str(connection.app.state.get("service", "-"))
