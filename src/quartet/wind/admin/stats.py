from typing import Literal

import msgspec

from quartet.kernel.errors import Problem


class AdminStat(msgspec.Struct, frozen=True, rename="camel"):
    """Ten-year statistics of a station; `years` of the ten are done."""

    station: str
    name: str
    state: Literal["ready", "pending", "failed"]
    asked: int
    done: int | None
    next_try: int
    years: int
    source: str | None
    error: Problem | None


class AdminStats(msgspec.Struct, frozen=True):
    stats: list[AdminStat]
    total: int
