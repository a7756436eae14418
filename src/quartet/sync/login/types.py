from typing import Annotated

import msgspec
from msgspec import Meta

from quartet.kernel.events import Event
from quartet.sync.accounts.types import FIRST_ADMIN, Role


class SessionState(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    set_up: bool
    logged_in: bool
    csrf_token: str | None = None
    # Shell command that sets the password of this server; only for users who may know its folder.
    command: str | None = None
    # The name and role of the signed-in account.
    account: str | None = None
    role: Role | None = None
    # Whether the sign-in page asks for a name.
    has_accounts: bool = False
    # The name of the provider that people may sign in with.
    provider: str | None = None
    # Whether the signed-in account is connected to the provider, and whether it lacks a password.
    connected: bool = False
    no_password: bool = False


class Password(msgspec.Struct, frozen=True):
    password: str
    # Without a name, the password is that of the first admin.
    account: Annotated[str, Meta(max_length=100)] = FIRST_ADMIN


class LoggedIn(msgspec.Struct, frozen=True, rename="camel"):
    csrf_token: str


class SessionEnded(Event, frozen=True, tag="sessionEnded"):
    """A user has signed out."""
