"""Metrics of sync: devices, folders and the hub."""

from quartet.kernel.metrics import Gauge
from quartet.sync.agentless.service import Agentless
from quartet.sync.agents.service import Agents
from quartet.sync.config.service.revisions import Revisions


def device_gauges(revisions: Revisions, agents: Agents, agentless: Agentless) -> list[Gauge]:
    def devices() -> dict[str, float]:
        known = revisions.current.devices.keys()
        online = known & {*agents.online(), *agentless.online()}
        return {"online": len(online), "offline": len(known) - len(online)}

    return [
        Gauge("quartet_sync_devices", "Number of devices by state", devices),
        Gauge("quartet_sync_revision", "Current revision", lambda: revisions.current.revision),
        Gauge("quartet_sync_folders", "Folders", lambda: len(revisions.current.folders)),
    ]
