import asyncio
from collections.abc import Iterable
from pathlib import Path

from quartet.kernel.conditions import Finding
from quartet.kernel.conditions.checks import disk_finding
from quartet.kernel.conditions.service import Check
from quartet.media.roots.path_encoding import decode_path
from quartet.media.roots.service import Folders


def folders_check(folders: Folders) -> Check:
    """Return a check of the configured folders: a disk may be full or not mounted."""

    async def check() -> Iterable[Finding]:
        paths = [Path(decode_path(each.path)) for each in await folders.all()]
        return await asyncio.to_thread(
            lambda: [found for path in paths for found in disk_finding(path)]
        )

    return check
