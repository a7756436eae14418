import msgspec


class StoredKey(msgspec.Struct, frozen=True):
    private_key: bytes
    created_at: int


class ShownServerKey(msgspec.Struct, frozen=True, rename="camel"):
    # Devices show the same fingerprint when they join.
    fingerprint: str
    created_at: int
