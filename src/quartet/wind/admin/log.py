"""Admin page: the latest log lines and a live stream of new ones."""

import itertools
import logging
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

import quartet
from quartet.kernel.events import Event, EventHub, backend_from_url
from quartet.kernel.log import one_line, request_id, without_secrets
from quartet.kernel.supervisor import BackgroundTask

Level = Literal["debug", "info", "warning", "error", "critical"]
LEVELS: tuple[Level, ...] = ("debug", "info", "warning", "error", "critical")
LINES = 2000
_LONGEST_MESSAGE = 4000
_LONGEST_TRACE = 16_000
_FORMATTER = logging.Formatter()
_PACKAGE = Path(quartet.__file__).parent


class LogLine(Event, tag="line", frozen=True, rename="camel"):
    """`trace` is set for unexpected errors. Ids increase and restart at 1 with each start."""

    id: int
    time: float
    level: Level
    logger: str
    message: str
    request_id: str
    trace: str


class LogLines(msgspec.Struct, frozen=True):
    """Oldest first; `more`: there are older matching lines."""

    lines: list[LogLine]
    more: bool


class LogRing(logging.Handler):
    """Keeps the latest log lines of this service, not of others in the same process.

    `publish` is called from any thread.
    """

    def __init__(
        self, service: str, publish: Callable[[LogLine], None], lines: int = LINES
    ) -> None:
        super().__init__()
        self._service = service
        self._publish = publish
        self._numbers = itertools.count(1)
        self._lines: deque[LogLine] = deque(maxlen=lines)

    def emit(self, record: logging.LogRecord) -> None:
        if self._is_ours(record):
            try:
                line = self._line(record)
            except Exception:  # noqa: BLE001 - as every handler: the log must not break its caller
                self.handleError(record)
                return
            self._lines.append(line)
            self._publish(line)

    def lines(self) -> list[LogLine]:
        return list(self._lines)

    def _is_ours(self, record: logging.LogRecord) -> bool:
        """Return False for records from the code or the loggers of another service."""
        first, *rest = record.name.split(".")
        if first == "quartet" and len(rest) > 1 and rest[0] != self._service:
            return False
        path = Path(record.pathname)
        if not path.is_relative_to(_PACKAGE):
            return True
        place, *inside = path.relative_to(_PACKAGE).parts
        return not inside or place in ("kernel", self._service)

    def _line(self, record: logging.LogRecord) -> LogLine:
        trace = _FORMATTER.formatException(record.exc_info) if record.exc_info else ""
        return LogLine(
            id=next(self._numbers),
            time=record.created,
            level=_level(record.levelno),
            logger=record.name,
            message=one_line(without_secrets(record.getMessage()[:_LONGEST_MESSAGE])),
            request_id=request_id.get(),
            trace="\n".join(
                one_line(line) for line in without_secrets(trace[-_LONGEST_TRACE:]).split("\n")
            ),
        )


def _level(number: int) -> Level:
    return LEVELS[min(max(number // 10 - 1, 0), len(LEVELS) - 1)]


class LogAdmin:
    def __init__(self, service: str) -> None:
        # A separate hub: log lines go only to admins connected to this process.
        self.hub = EventHub(backend_from_url(None, f"log-{service}"))
        self.ring = LogRing(service, self.hub.publish_threadsafe)

    def lines(self, level: Level, text: str, before: int | None, limit: int) -> LogLines:
        wanted = set(LEVELS[LEVELS.index(level) :])
        text = text.casefold()
        matching = [
            line
            for line in self.ring.lines()
            if (before is None or line.id < before) and line.level in wanted and _holds(line, text)
        ]
        return LogLines(matching[-limit:], len(matching) > limit)


def _holds(line: LogLine, text: str) -> bool:
    fields = (line.message, line.logger, line.request_id, line.trace)
    return any(text in field.casefold() for field in fields)


def log_loop(log: LogAdmin, events: EventHub) -> BackgroundTask:
    """Collect log lines while the service runs; live streams end together with all others."""

    async def run() -> None:
        await log.hub.start()
        logging.getLogger().addHandler(log.ring)
        try:
            await events.wait_closed()
        finally:
            logging.getLogger().removeHandler(log.ring)
            await log.hub.stop()

    return BackgroundTask("log", run, everywhere=True)
