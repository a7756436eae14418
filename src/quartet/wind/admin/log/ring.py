"""The last lines of the log, in memory."""

import itertools
import logging
from collections import deque
from collections.abc import Callable
from pathlib import Path

import quartet
from quartet.kernel.log import one_line, request_id, without_secrets
from quartet.wind.admin.log.types import LEVELS, Level, LogLine

LINES = 2000
_LONGEST_MESSAGE = 4000
_LONGEST_TRACE = 16_000
_FORMATTER = logging.Formatter()
_PACKAGE = Path(quartet.__file__).parent


class LogRing(logging.Handler):
    """`tell` is called from any thread. Of other services in the same process nothing is kept."""

    def __init__(self, service: str, tell: Callable[[LogLine], None], lines: int = LINES) -> None:
        super().__init__()
        self._service = service
        self._tell = tell
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
            self._tell(line)

    def lines(self) -> list[LogLine]:
        return list(self._lines)

    def _is_ours(self, record: logging.LogRecord) -> bool:
        """Neither written by the code of another service nor in its name."""
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
