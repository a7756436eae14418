import msgspec


class AdminDatabase(msgspec.Struct, frozen=True):
    """`reclaimable` bytes would be free after a vacuum, as far as is known."""

    kind: str
    bytes: int
    reclaimable: int | None


class Backup(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    bytes: int
    created_at: int


class Disk(msgspec.Struct, frozen=True):
    free: int
    total: int


class AdminStorage(msgspec.Struct, frozen=True, rename="camel"):
    """`folders` of the data folder with their bytes; `textures` are bytes in memory."""

    database: AdminDatabase
    folders: dict[str, int]
    textures: int
    backups: list[Backup]
    backups_kept: int
    disk: Disk


class Vacuumed(msgspec.Struct, frozen=True):
    """Bytes of the database before and after; how many seconds nobody could write."""

    before: int
    after: int
    seconds: float


class Pruned(msgspec.Struct, frozen=True):
    """Rows and files that were too old, by kind."""

    removed: dict[str, int]


class NewPushKey(msgspec.Struct, frozen=True, rename="camel"):
    """`removed` subscriptions belonged to the old key."""

    public_key: str
    removed: int
