"""The log for those who look after the service: what was written, and what is being written."""

from quartet.kernel.events import Hub, backend_from_url
from quartet.wind.admin.log.ring import LogRing
from quartet.wind.admin.log.types import LEVELS, Level, LogLine, LogLines


class Log:
    def __init__(self, service: str) -> None:
        # Of its own: what is written here is for admins of this process only.
        self.hub = Hub(backend_from_url(None, f"log-{service}"))
        self.ring = LogRing(service, self.hub.publish_threadsafe)

    def lines(self, level: Level, text: str, before: int | None, limit: int) -> LogLines:
        wanted = set(LEVELS[LEVELS.index(level) :])
        text = text.casefold()
        fitting = [
            line
            for line in self.ring.lines()
            if (before is None or line.id < before) and line.level in wanted and _holds(line, text)
        ]
        return LogLines(fitting[-limit:], len(fitting) > limit)


def _holds(line: LogLine, text: str) -> bool:
    fields = (line.message, line.logger, line.request_id, line.trace)
    return any(text in field.casefold() for field in fields)
