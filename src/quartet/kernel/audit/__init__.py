"""The audit log: security events as log lines for fail2ban, and as rows for the audit page."""

from quartet.kernel.audit.events import audit, audit_action, audit_error, audit_token_at_port
from quartet.kernel.audit.tables import audit_table

__all__ = ["audit", "audit_action", "audit_error", "audit_table", "audit_token_at_port"]
