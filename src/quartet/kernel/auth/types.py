import msgspec


class Session(msgspec.Struct, frozen=True):
    """A signed-in browser. The server stores only the hash of the token."""

    token_hash: str
    subject: str
    created_at: int
    expires_at: int
    # When and from which address it was last used, to the quarter of an hour.
    seen_at: int | None = None
    address: str | None = None
    # The User-Agent header.
    device: str | None = None

    @property
    def id(self) -> str:
        """Names the session in lists; it cannot be used to sign in."""
        return self.token_hash[:16]


class ShownSession(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    created_at: int
    seen_at: int
    address: str
    # The User-Agent header of the browser.
    device: str
    # Whether the request was made with this session.
    current: bool


class ShownSessions(msgspec.Struct, frozen=True):
    """Empty for callers without a session, such as programs with a token."""

    sessions: list[ShownSession]
