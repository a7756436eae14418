from typing import Literal

Reason = Literal[
    "not_grib",
    "truncated",
    "too_large",
    "unreadable",
    "wrong_run",
    "wrong_grid",
    "missing_field",
    "implausible",
    "grid_relative",
]


class Refused(Exception):
    """What came is not what was asked for; it is asked for again and never served."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class NotYet(Exception):
    """Upstream does not have it, or is still writing it."""
