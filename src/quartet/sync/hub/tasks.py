from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.hub.service import Hub


def loops(hub: Hub, alone: str = "hub") -> list[BackgroundTask]:
    return [BackgroundTask("hub", hub.run, restart_on_return=True, exclusive=alone)]
