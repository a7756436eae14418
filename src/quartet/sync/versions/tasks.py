from quartet.kernel.supervisor import Loop, every
from quartet.sync.versions.service import Versions

PRUNE_SECONDS = 6 * 3600.0


def versions_loop(versions: Versions) -> Loop:
    return every(PRUNE_SECONDS, versions.prune, name="versions", alone="hub")
