from quartet.kernel.supervisor import BackgroundTask
from quartet.media.notify.service import Notifier


def notify_task(notifier: Notifier) -> BackgroundTask:
    return BackgroundTask("notify", notifier.run)
