import msgspec


class Session(msgspec.Struct, frozen=True):
    """A login that lasts: only the hash of its token is known to the server."""

    token_hash: str
    subject: str
    created_at: int
    expires_at: int
