"""Writes the audit log: one line per security event, in a fixed format that fail2ban can read.

    login_failed client=203.0.113.7 service=media code=wrong_token path=/api/login
    deleted client=203.0.113.7 service=media user=token path=/api/jobs/7

`client` comes first, before anything the client can choose.
"""

import logging
import re
import time
from typing import Any

from quartet.kernel.addresses import parse_address
from quartet.kernel.audit.types import Action, AuditEntry, AuditEvent, Refusal
from quartet.kernel.errors import AppError
from quartet.kernel.log import logged_path
from quartet.kernel.service import Connection, Kernel, client_address

log = logging.getLogger("quartet.audit")

# Wrong secrets whose status is not 401, because the request needs no login or has one.
_WRONG_SECRETS = frozenset({"setup_code_wrong", "wrong_current_password"})
# Texts that clients choose must not look like more fields or lines.
_UNSAFE = re.compile(r"[^\w@%+,.:/~-]")
_LONGEST = 200


def audit(event: Refusal, connection: Connection, code: str) -> None:
    """Log a refused login, token or attempt."""
    entry = _entry(event, connection, code=code)
    _log_refusal(_service(connection), entry)
    _store(connection, entry)


def audit_at_port(
    kernel: Kernel[Any], event: AuditEvent, client: str | None, path: str, *, user: str, code: str
) -> None:
    """Log an event of a request that another port than that of the web UI received.

    `code` is empty for an action, `user` for a refusal.
    """
    address = str(parse_address(client or "") or "-")
    entry = AuditEntry(int(time.time()), event, address, user, code, path)
    (_log_refusal if code else _log_action)(kernel.service, entry)
    kernel.audit_log.add(entry)


def _log_refusal(service: str, entry: AuditEntry) -> None:
    log.warning(
        "%s client=%s service=%s code=%s path=%s",
        entry.event,
        entry.client,
        service,
        entry.code,
        entry.path,
    )


def audit_action(event: Action, connection: Connection) -> None:
    """Log what a user did. Routes name the event: `@delete("/api/…", audit="deleted")`.

    With `audit_page=False` it is only in the log, not on the page.
    """
    identity = connection.scope["state"].get("identity")
    entry = _entry(event, connection, user=_safe(identity.subject) if identity else "")
    _log_action(_service(connection), entry)
    handler: Any = connection.scope.get("route_handler")
    if handler is None or handler.opt.get("audit_page", True):
        _store(connection, entry)


def _log_action(service: str, entry: AuditEntry) -> None:
    log.info(
        "%s client=%s service=%s user=%s path=%s",
        entry.event,
        entry.client,
        service,
        entry.user or "-",
        entry.path,
    )


def audit_error(connection: Connection, error: AppError) -> None:
    """Log a response that refuses a login, a token or further attempts."""
    if error.code == "too_many_attempts":
        audit("locked_out", connection, error.code)
    elif error.code in _WRONG_SECRETS:
        audit("login_failed", connection, error.code)
    elif error.status == 401 and error.code != "signed_out":
        handler: Any = connection.scope.get("route_handler")
        public = handler is not None and handler.opt.get("public")
        audit("login_failed" if public else "token_refused", connection, error.code)


def _store(connection: Connection, entry: AuditEntry) -> None:
    audit_log = connection.app.state.get("audit_log")
    if audit_log is not None:
        audit_log.add(entry)


def _service(connection: Connection) -> str:
    return str(connection.app.state.get("service", "-"))


def _entry(
    event: AuditEvent, connection: Connection, *, user: str = "", code: str = ""
) -> AuditEntry:
    client = client_address(connection) or "-"
    path = _safe(logged_path(connection.scope))
    return AuditEntry(int(time.time()), event, client, user, code, path)


def _safe(text: str) -> str:
    return _UNSAFE.sub("_", text)[:_LONGEST]
