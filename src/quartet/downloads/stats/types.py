import msgspec


class Storage(msgspec.Struct, frozen=True):
    """Bytes of the disk that holds this folder."""

    label: str
    path: str
    total: int
    free: int


class PremiumTraffic(msgspec.Struct, frozen=True, rename="camel"):
    """All usable accounts of a plugin together."""

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
    """A day begins at midnight UTC; speed is in bytes per second."""

    active: int
    slots: int
    connections_per_file: int
    speed: int
    # What counts at this time of day.
    speed_limit_kib: int
    storage: list[Storage]
    premium: list[PremiumTraffic]
