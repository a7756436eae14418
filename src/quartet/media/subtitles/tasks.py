from quartet.kernel.supervisor import BackgroundTask
from quartet.media.subtitles.service import Subtitles


def subtitles_task(subtitles: Subtitles) -> BackgroundTask:
    return BackgroundTask("subtitles", subtitles.run)
