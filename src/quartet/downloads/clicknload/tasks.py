import asyncio
import logging

from quartet.downloads.clicknload.guard import ClickNLoadGuard
from quartet.downloads.clicknload.service import ClickNLoad
from quartet.downloads.clicknload.types import Action, Form
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.errors import AppError
from quartet.kernel.supervisor import BackgroundTask

log = logging.getLogger("quartet.downloads.clicknload")

# Delayed, to keep the startup short.
_FIRST_SECONDS = 0.5


def clicknload_loops(settings: DownloadsSettings, clicknload: ClickNLoad) -> list[BackgroundTask]:
    """Run the Click'n'Load port unless it is 0.

    If it is in use, for example by another download manager, the supervisor shows the error and
    tries again.
    """

    async def run() -> None:
        # Later than the first answers: the import takes as long as a tenth of the start.
        await asyncio.sleep(_FIRST_SECONDS)
        from quartet.downloads.clicknload.listener import Reply, application, failed, listening

        async def submit(action: Action, form: Form, referer: str) -> Reply:
            try:
                await clicknload.submit(action, form, referer)
            except AppError as error:
                return failed(error)
            return Reply(200, "success\r\n")

        guard = ClickNLoadGuard(settings.cnl_clients, settings.allowed_hosts)
        app = application(guard, submit)
        async with listening(app, settings.cnl_host, settings.cnl_port) as port:
            log.info("Click'n'Load is listening on %s:%d", settings.cnl_host, port)
            await asyncio.Event().wait()

    return [BackgroundTask("click-n-load", run)] if settings.cnl_port else []
