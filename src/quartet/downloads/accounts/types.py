from typing import Annotated, Literal

import msgspec

from quartet.kernel.errors import Problem

Status = Literal["unchecked", "checking", "valid", "invalid", "error"]
Typed = Annotated[str, msgspec.Meta(max_length=20_000)]


class AccountShown(msgspec.Struct, frozen=True, rename="camel"):
    """Times in Unix milliseconds, traffic in bytes. The secret is never shown."""

    id: int
    plugin_id: str
    # Nothing when the plugin is gone.
    plugin_name: str | None
    user: str
    enabled: bool
    status: Status
    premium: bool | None
    traffic_left: int | None
    valid_until: int | None
    error: Problem | None
    checked_at: int | None


class NewAccount(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    plugin_id: str
    secret: Typed
    user: Typed = ""


class AddedAccount(msgspec.Struct, frozen=True):
    id: int


class AccountChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What is missing stays as it is."""

    enabled: bool | None = None
    user: Typed | None = None
    secret: Typed | None = None


class Kept(msgspec.Struct, frozen=True):
    """A row as it is stored."""

    id: int
    plugin_id: str
    user: str
    secret: bytes
    enabled: bool
    status: Status
    premium: bool | None
    traffic_left: int | None
    valid_until: int | None
    error: dict[str, object] | None
    checked_at: int | None
