import asyncio
import time
from collections.abc import Iterable
from typing import Any

from quartet.kernel.conditions.checks import disk_finding, task_findings
from quartet.kernel.conditions.types import Finding
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask, every

CHECK_SECONDS = 30.0


def health_task(kernel: Kernel[Any]) -> BackgroundTask:
    """Check tasks, the disk of the data folder and the backups, and what the service adds."""

    async def tasks() -> Iterable[Finding]:
        return task_findings(kernel.supervisor, time.time())

    async def disk() -> Iterable[Finding]:
        return await asyncio.to_thread(lambda: list(disk_finding(kernel.settings.data)))

    async def backup() -> Iterable[Finding]:
        problem = None if kernel.demo else await kernel.backups.check()
        return [Finding("backup", kernel.service, problem)] if problem else []

    kernel.conditions.checks += [tasks, disk, backup]
    return every(CHECK_SECONDS, kernel.conditions.check, name="health", everywhere=True)
