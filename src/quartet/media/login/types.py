import msgspec


class SessionState(msgspec.Struct, frozen=True, rename="camel"):
    login_required: bool
    logged_in: bool
    user: str | None


class Token(msgspec.Struct, frozen=True):
    token: str
