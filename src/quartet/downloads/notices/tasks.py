from quartet.downloads.change_loop import change_loop
from quartet.downloads.notices.service import Notices
from quartet.kernel.events import EventHub
from quartet.kernel.supervisor import BackgroundTask

# Events within this time are sent as one message.
GATHER_SECONDS = 5.0


def notices_loop(
    notices: Notices, hub: EventHub, seconds: float = GATHER_SECONDS
) -> BackgroundTask:
    return change_loop("notices", hub, notices.check, seconds)
