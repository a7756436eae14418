import msgspec


class Storage(msgspec.Struct, frozen=True):
    """The size of the disk that holds this folder, in bytes."""

    label: str
    path: str
    total: int
    free: int


class PremiumTraffic(msgspec.Struct, frozen=True, rename="camel"):
    """The sum over all usable accounts of a plugin."""

    plugin_id: str
    traffic_left: int | None
    valid_until: int | None


class Counts(msgspec.Struct, frozen=True, rename="camel"):
    collected: int = 0
    queued: int = 0
    queued_bytes: int = 0
    paused: int = 0
    finished: int = 0
    failed: int = 0
    finished_today: int = 0
    finished_today_bytes: int = 0


class Stats(Counts, frozen=True, rename="camel", kw_only=True):
    """Counts and speeds; days start at midnight UTC, speed is in bytes per second."""

    active: int
    slots: int
    connections_per_file: int
    speed: int
    # The limit at this time of day.
    speed_limit_kib: int
    paused_by_schedule: bool
    # The end of this pause in Unix milliseconds; null if it never ends.
    paused_until: int | None
    # How many downloads the queue still runs before it stops; null if it does not stop.
    stops_after: int | None
    storage: list[Storage]
    premium: list[PremiumTraffic]
