import asyncio

from quartet.downloads.extraction.progress import WholeMeter
from quartet.downloads.extraction.service import Extraction
from quartet.kernel.events import Hub
from quartet.kernel.supervisor import Loop

PROGRESS_SECONDS = 1.0


def extraction_loop(extraction: Extraction) -> Loop:
    async def run() -> None:
        await extraction.recover()
        while True:
            while await extraction.step():
                pass
            await extraction.rest()

    return Loop("extraction", run)


def extraction_progress_loop(extraction: Extraction, meter: WholeMeter, hub: Hub) -> Loop:
    """While something is loaded the queue tells of both."""

    async def run() -> None:
        while True:
            await extraction.began.wait()
            while extraction.running.archive:
                if not meter.active:
                    hub.publish(await meter.read())
                await asyncio.sleep(PROGRESS_SECONDS)
            hub.publish(await meter.read())

    return Loop("extraction-progress", run)


def archive_questions_loop(extraction: Extraction) -> Loop:
    return Loop("archive-questions", extraction.questions.run)
