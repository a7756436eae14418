"""How fast a device may sync, and when."""

from typing import Annotated

import msgspec
from msgspec import Meta

# In KiB per second, as the device sees it; 0 is as fast as it goes.
Rate = Annotated[int, Meta(ge=0, le=10_000_000)]
Clock = Annotated[str, Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$")]
# Monday is 0.
Weekday = Annotated[int, Meta(ge=0, le=6)]


class Pace(msgspec.Struct, frozen=True, rename="camel"):
    paused: bool = False
    upload_kib: Rate = 0
    download_kib: Rate = 0


class Window(Pace, frozen=True, kw_only=True, rename="camel"):
    """A part of the week, in the server's time; one that ends before it begins ends next day."""

    days: Annotated[list[Weekday], Meta(min_length=1, max_length=7)]
    begin: Clock
    end: Clock


class Traffic(Pace, frozen=True, rename="camel"):
    """The first window that fits counts, and outside of all of them the pace itself."""

    schedule: Annotated[list[Window], Meta(max_length=20)] = []
