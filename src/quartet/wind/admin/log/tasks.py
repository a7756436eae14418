import logging

from quartet.kernel.events import Hub
from quartet.kernel.supervisor import Loop
from quartet.wind.admin.log.service import Log


def log_loop(log: Log, events: Hub) -> Loop:
    """Listens to the log while the service runs; open tails end when other live streams do."""

    async def run() -> None:
        await log.hub.start()
        logging.getLogger().addHandler(log.ring)
        try:
            await events.wait_closed()
        finally:
            logging.getLogger().removeHandler(log.ring)
            await log.hub.stop()

    return Loop("log", run, everywhere=True)
