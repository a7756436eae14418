import msgspec


class Session(msgspec.Struct, frozen=True):
    """A signed-in browser. The server stores only the hash of the token."""

    token_hash: str
    subject: str
    created_at: int
    expires_at: int
