import asyncio
import logging
from typing import Literal

from quartet.downloads.aria2.notifications import Notifications
from quartet.downloads.aria2.protocol import Protocol
from quartet.downloads.login.service import API_USER
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.audit import audit_at_port
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

        def report(client: str | None, event: Literal["token_refused", "deleted"]) -> None:
            user, code = (API_USER, "") if event == "deleted" else ("", "wrong_token")
            audit_at_port(kernel, event, client, PATH, user=user, code=code)

        app = application(aria2, notifications, report)
        async with listening(app, settings.host, settings.aria2_port) as port:
            log.info("aria2 clients can also use port %d", port)
            await asyncio.Event().wait()

    return [BackgroundTask("aria2", run)]
