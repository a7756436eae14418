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
    """A file is damaged or not the one that was requested; it is never served.

    `piece` is the number of the file in what was fetched, if only one is to blame.
    """

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.piece: int | None = None


class NotYet(Exception):
    """The provider does not have the file, or is still writing it."""
