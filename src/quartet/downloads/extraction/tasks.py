import asyncio

from quartet.downloads.extraction.progress import ExtractionProgressMeter
from quartet.downloads.extraction.service import Extraction
from quartet.kernel.events import EventHub
from quartet.kernel.supervisor import BackgroundTask

PROGRESS_SECONDS = 1.0


def extraction_loop(extraction: Extraction) -> BackgroundTask:
    async def run() -> None:
        await extraction.recover()
        while True:
            while await extraction.step():
                pass
            await extraction.wait()

    return BackgroundTask("extraction", run)


def extraction_progress_loop(
    extraction: Extraction, meter: ExtractionProgressMeter, hub: EventHub
) -> BackgroundTask:
    """Report the progress of extractions; while downloads run, the queue's loop reports both."""

    async def run() -> None:
        while True:
            await extraction.started.wait()
            while extraction.current.archive:
                if not meter.active:
                    hub.publish(await meter.read())
                await asyncio.sleep(PROGRESS_SECONDS)
            hub.publish(await meter.read())

    return BackgroundTask("extraction-progress", run)


def archive_questions_loop(extraction: Extraction) -> BackgroundTask:
    return BackgroundTask("archive-questions", extraction.questions.run)
