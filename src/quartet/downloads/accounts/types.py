from typing import Annotated, Literal

import msgspec

from quartet.kernel.errors import Problem

Status = Literal["unchecked", "checking", "valid", "invalid", "error"]
UserInput = Annotated[str, msgspec.Meta(max_length=20_000)]


class AccountShown(msgspec.Struct, frozen=True, rename="camel"):
    """A hoster account without its secret; times in Unix milliseconds, traffic in bytes."""

    id: int
    plugin_id: str
    # None if the plugin no longer exists.
    plugin_name: str | None
    # The first domain of the hoster, if its plugin names any.
    host: str | None
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
    secret: UserInput
    user: UserInput = ""


class AddedAccount(msgspec.Struct, frozen=True):
    id: int


class AccountChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Omitted fields stay unchanged."""

    enabled: bool | None = None
    user: UserInput | None = None
    secret: UserInput | None = None


class ImportedAccount(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    plugin_id: str
    user: str


class RefusedAccount(msgspec.Struct, frozen=True):
    """An account that was not imported; the error says why."""

    host: str
    user: str
    error: Problem


class ImportedAccounts(msgspec.Struct, frozen=True):
    added: list[ImportedAccount]
    refused: list[RefusedAccount]


class StoredAccount(msgspec.Struct, frozen=True):
    """An account as stored in the database."""

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
