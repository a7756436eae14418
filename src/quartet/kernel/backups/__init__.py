"""Scheduled backups of a service: written, verified, listed, deleted and restored.

`quartet.kernel.backup` defines the file. This package decides when a file is written, keeps the
result of every backup, and replaces the data of a service with that of a backup at its next start.
"""

from quartet.kernel.backups.replace import restore_at_start, restore_over
from quartet.kernel.backups.service import Backups
from quartet.kernel.backups.verify import verify

__all__ = ["Backups", "restore_at_start", "restore_over", "verify"]
