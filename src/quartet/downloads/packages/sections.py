"""The section of the queue that a download or a package belongs to.

Every page and every client shows this state, so that they cannot disagree.
"""

from collections.abc import Collection
from typing import Literal, NamedTuple

from quartet.downloads.packages.states import Status

Section = Literal["active", "attention", "waiting", "failed", "finished"]

_SECTIONS: dict[Status, Section] = {
    "collected": "waiting",
    "crawling": "active",
    "queued": "waiting",
    "resolving": "active",
    "downloading": "active",
    "paused": "waiting",
    "finished": "finished",
    "failed": "failed",
    "skipped": "finished",
}


class OpenQuestions(NamedTuple):
    """The downloads and packages for which the user is asked something now."""

    downloads: Collection[int] = ()
    packages: Collection[int] = ()


def download_section(
    status: Status, *, offline: bool, has_error: bool, damaged: bool, asks: bool
) -> Section:
    """Return the section; an offline link in the queue was not started and never will be."""
    if asks or (status == "paused" and has_error):
        return "attention"
    if (status == "finished" and damaged) or (status == "collected" and offline):
        return "failed"
    return _SECTIONS[status]


def package_section(
    downloads: Collection[Section],
    *,
    extract: str | None,
    needs_password: bool,
    moving: bool,
    asks: bool,
) -> Section:
    """Derive the section of a package from its downloads and its extraction."""
    if asks or needs_password or "attention" in downloads:
        return "attention"
    if moving or extract == "running" or "active" in downloads:
        return "active"
    if "waiting" in downloads:
        return "waiting"
    if extract == "failed" or "failed" in downloads:
        return "failed"
    return "waiting" if extract == "pending" else "finished"
