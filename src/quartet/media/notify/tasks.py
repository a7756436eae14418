from quartet.kernel.supervisor import BackgroundTask
from quartet.media.notify.service import JobNotifier


def notify_task(notifier: JobNotifier) -> BackgroundTask:
    return BackgroundTask("notify", notifier.run)
