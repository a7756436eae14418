from litestar import get, post, put

from quartet.kernel.web import Injected, JSONBody
from quartet.media.notify.service import JobNotifier
from quartet.media.notify.types import (
    AvailableScripts,
    NewNotifications,
    Notifications,
    NotificationTest,
    TestResult,
)


@get("/api/notifications")
async def read_notifications(notifier: Injected[JobNotifier]) -> Notifications:
    """Returns the notifications, webhooks and media servers; secrets are masked."""
    return await notifier.current_masked()


@put("/api/notifications")
async def replace_notifications(
    data: JSONBody[NewNotifications], notifier: Injected[JobNotifier]
) -> Notifications:
    """Replaces all of them; masked secrets are kept."""
    return await notifier.replace(data)


@post("/api/notifications/test", status_code=200)
async def test_notification(
    data: JSONBody[NotificationTest], notifier: Injected[JobNotifier]
) -> TestResult:
    """Sends a test message, or asks a media server to refresh."""
    return await notifier.test(data)


@get("/api/notifications/scripts")
async def list_scripts(notifier: Injected[JobNotifier]) -> AvailableScripts:
    """Lists the scripts that the operator provides."""
    return await notifier.available_scripts()


ROUTES = [read_notifications, replace_notifications, test_notification, list_scripts]
