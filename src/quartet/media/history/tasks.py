from quartet.kernel.supervisor import BackgroundTask, every
from quartet.media.history.backups import Backups

HOUR = 3600.0


def backup_task(backups: Backups) -> BackgroundTask:
    """Delete backups that are too old."""
    return every(HOUR, backups.expire, name="backups", jitter=60)
