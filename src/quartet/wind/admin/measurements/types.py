import msgspec

from quartet.kernel.errors import Problem


class AdminSource(msgspec.Struct, frozen=True, rename="camel"):
    """`newest` is the time of the newest measurement, `age` the seconds since.

    `day_count` came within a day; `last_count` with the last try, of which `error` is as well.
    """

    id: str
    newest: int | None
    age: int | None
    overdue: bool
    day_count: int
    last_try: float | None
    last_success: float | None
    last_count: int
    error: Problem | None
    task: str | None


class AdminMeasurements(msgspec.Struct, frozen=True, rename="camel"):
    """`live_stations` have measured within the last hours."""

    sources: list[AdminSource]
    stations: int
    live_stations: int
