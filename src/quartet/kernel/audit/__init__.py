"""The audit log: security events as log lines for fail2ban, and as rows for the audit page."""

from quartet.kernel.audit.events import audit, audit_action, audit_at_port, audit_error
from quartet.kernel.audit.tables import audit_table

__all__ = ["audit", "audit_action", "audit_at_port", "audit_error", "audit_table"]
