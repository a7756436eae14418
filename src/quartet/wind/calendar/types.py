from typing import NamedTuple

import msgspec

from quartet.wind.units import WindUnit


class CalendarFeed(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Without `created_at` there is no feed."""

    created_at: int | None = None


class NewCalendarFeed(msgspec.Struct, frozen=True, rename="camel"):
    """`path` is relative to the address of the site, and contains a secret."""

    path: str
    created_at: int


class CalendarReader(NamedTuple):
    """How the owner of a calendar reads it."""

    language: str
    unit: WindUnit
