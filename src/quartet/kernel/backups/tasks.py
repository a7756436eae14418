from typing import Any

from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask, every

CHECK_SECONDS = 60.0


def backup_task(kernel: Kernel[Any]) -> BackgroundTask:
    return every(CHECK_SECONDS, kernel.backups.make_if_due, name="backup", exclusive="backup")
