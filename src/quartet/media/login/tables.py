from quartet.kernel.audit import audit_table
from quartet.kernel.auth import sessions_table
from quartet.media.tables import metadata

sessions = sessions_table(metadata)
audit_log = audit_table(metadata)
