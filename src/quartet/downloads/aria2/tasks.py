import asyncio
import logging

from quartet.downloads.aria2.notifications import Notifications
from quartet.downloads.aria2.protocol import Protocol
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.audit import audit_token_at_port
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask

log = logging.getLogger("quartet.downloads.aria2")


def aria2_loops(
    kernel: Kernel[DownloadsSettings], aria2: Protocol, notifications: Notifications
) -> list[BackgroundTask]:
    """Return the task that listens on the additional port, if one is set."""
    settings = kernel.settings
    if not settings.aria2_port:
        return []

    async def run() -> None:
        # Imported here because most installations do not use the port.
        from quartet.downloads.aria2.listener import PATH, application, listening

        def refused(client: str | None) -> None:
            audit_token_at_port(kernel, client, "wrong_token", PATH)

        app = application(aria2, notifications, refused)
        async with listening(app, settings.host, settings.aria2_port) as port:
            log.info("aria2 clients can also use port %d", port)
            await asyncio.Event().wait()

    return [BackgroundTask("aria2", run)]
