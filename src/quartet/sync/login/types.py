import msgspec

from quartet.kernel.events import Event


class SessionState(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    set_up: bool
    logged_in: bool
    csrf_token: str | None = None
    # Shell command that sets the password of this server; only for users who may know its folder.
    command: str | None = None


class Password(msgspec.Struct, frozen=True):
    password: str


class LoggedIn(msgspec.Struct, frozen=True, rename="camel"):
    csrf_token: str


class SessionEnded(Event, frozen=True, tag="sessionEnded"):
    """A user has signed out."""
