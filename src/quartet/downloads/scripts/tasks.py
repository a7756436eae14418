from quartet.downloads.change_loop import change_loop
from quartet.downloads.scripts.service import Scripts
from quartet.kernel.events import EventHub
from quartet.kernel.supervisor import BackgroundTask

# Many changes come together; none of them needs the script at once.
GATHER_SECONDS = 1.0


def scripts_loop(scripts: Scripts, hub: EventHub) -> BackgroundTask:
    return change_loop("scripts", hub, scripts.run_due, GATHER_SECONDS)
