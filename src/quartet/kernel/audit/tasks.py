from quartet.kernel.audit.service import AuditLog
from quartet.kernel.supervisor import BackgroundTask, every

FLUSH_SECONDS = 5.0


def audit_task(audit_log: AuditLog) -> BackgroundTask:
    return every(FLUSH_SECONDS, audit_log.flush, name="audit", everywhere=True)
