"""Speed limits of a device and their schedule."""

from typing import Annotated

import msgspec
from msgspec import Meta

# KiB per second from the device's point of view; 0 means unlimited.
Rate = Annotated[int, Meta(ge=0, le=10_000_000)]
Clock = Annotated[str, Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$")]
# Monday is 0.
Weekday = Annotated[int, Meta(ge=0, le=6)]


class Pace(msgspec.Struct, frozen=True, rename="camel"):
    paused: bool = False
    upload_kib: Rate = 0
    download_kib: Rate = 0


class Window(Pace, frozen=True, kw_only=True, rename="camel"):
    """A part of the week in the server's time zone; if it ends before it begins, it ends the next
    day.
    """

    days: Annotated[list[Weekday], Meta(min_length=1, max_length=7)]
    begin: Clock
    end: Clock


class Traffic(Pace, frozen=True, rename="camel"):
    """The first matching window applies; outside all windows, the default limits do."""

    schedule: Annotated[list[Window], Meta(max_length=20)] = []
