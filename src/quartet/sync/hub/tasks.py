from quartet.kernel.supervisor import Loop
from quartet.sync.hub.service import Hub


def loops(hub: Hub, alone: str = "hub") -> list[Loop]:
    return [Loop("hub", hub.run, restart_on_return=True, alone=alone)]
