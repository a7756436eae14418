import asyncio
from collections.abc import Iterable

from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.conditions import Finding
from quartet.kernel.conditions.checks import disk_finding
from quartet.kernel.conditions.service import Check


def folders_check(settings: DownloadsSettings) -> Check:
    """Return a check of the disks that downloads are written to."""

    def look() -> list[Finding]:
        folders = {settings.tmp_folder, settings.done_folder} - {settings.data}
        # Both are created with the first download.
        return [found for each in sorted(folders) if each.exists() for found in disk_finding(each)]

    async def check() -> Iterable[Finding]:
        return await asyncio.to_thread(look)

    return check
