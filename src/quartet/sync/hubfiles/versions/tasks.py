from quartet.kernel.supervisor import BackgroundTask, every
from quartet.sync.hubfiles.versions.service import Versions

PRUNE_SECONDS = 6 * 3600.0


def versions_task(versions: Versions) -> BackgroundTask:
    return every(PRUNE_SECONDS, versions.prune, name="versions", exclusive="hub")
