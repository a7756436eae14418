from quartet.kernel.supervisor import Loop
from quartet.media.notify.service import Notifier


def notify_loop(notifier: Notifier) -> Loop:
    return Loop("notify", notifier.run)
