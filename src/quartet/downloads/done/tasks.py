from quartet.downloads.done.relocation import Relocation
from quartet.kernel.supervisor import BackgroundTask

# The delay before files that cannot be moved yet are tried again.
RETRY_SECONDS = 0.5


def relocation_loop(relocation: Relocation) -> BackgroundTask:
    async def run() -> None:
        while True:
            left = await relocation.run_once()
            await relocation.changed.wait(RETRY_SECONDS if left else None)

    return BackgroundTask("relocation", run)
