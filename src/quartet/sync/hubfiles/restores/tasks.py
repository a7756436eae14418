from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.hubfiles.restores.service import Restores


def restores_task(restores: Restores) -> BackgroundTask:
    return BackgroundTask("restores", restores.run, restart_on_return=True, exclusive="hub")
