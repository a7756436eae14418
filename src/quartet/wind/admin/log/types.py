from typing import Literal

import msgspec

from quartet.kernel.events import Event

Level = Literal["debug", "info", "warning", "error", "critical"]
LEVELS: tuple[Level, ...] = ("debug", "info", "warning", "error", "critical")


class LogLine(Event, tag="line", frozen=True, rename="camel"):
    """`trace` where an error was not expected; ids grow and begin anew with each start."""

    id: int
    time: float
    level: Level
    logger: str
    message: str
    request_id: str
    trace: str


class LogLines(msgspec.Struct, frozen=True):
    """The oldest first; `more` when there are older ones that fit."""

    lines: list[LogLine]
    more: bool
