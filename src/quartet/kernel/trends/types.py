from typing import Literal

import msgspec

Span = Literal["15m", "24h", "30d"]


class Trend(msgspec.Struct, frozen=True):
    """The values of a figure, oldest first; None while nothing was measured.

    `label` tells figures with the same name apart, such as the speeds of several devices.
    """

    name: str
    label: str
    values: list[float | None]


class Trends(msgspec.Struct, frozen=True):
    """`until` is the Unix time of the last value of each trend, `step` the seconds between two."""

    span: Span
    step: int
    until: int
    trends: list[Trend]
