from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quartet.sync.config.types.devices import Id

# An editor also resolves conflicts, restores versions and uploads files; a reader only looks.
Role = Literal["admin", "editor", "reader"]
RANKS: dict[Role, int] = {"reader": 0, "editor": 1, "admin": 2}
# The account that has existed since the first start; its password is set on the command line.
FIRST_ADMIN = "admin"
AccountName = Annotated[str, Meta(pattern="^[a-z0-9][a-z0-9@._+-]{0,99}$")]
Secret = Annotated[str, Meta(max_length=2000)]
DeviceIds = Annotated[list[Id], Meta(max_length=1000)]


class Account(msgspec.Struct, frozen=True):
    name: str
    role: Role
    devices: frozenset[int] = frozenset()
    created_at: int = 0
    has_password: bool = True
    # When the invitation expires; None without one.
    invited_until: int | None = None
    identity: "ProviderIdentity | None" = None


class ProviderIdentity(msgspec.Struct, frozen=True):
    """A person at the sign-in provider who is connected to an account."""

    account: str
    # Whether each sign-in sets the role by the groups of the person.
    follows_groups: bool


class ShownAccount(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    role: Role
    # The ids of the devices that a person without the role "admin" sees.
    devices: list[int]
    created_at: int
    has_password: bool
    # Whether the person has signed in with the provider, and whether the groups there decide the
    # role.
    connected: bool
    follows_groups: bool
    # When the open invitation link expires.
    invited_until: int | None


class NewAccount(msgspec.Struct, frozen=True):
    name: AccountName
    # Without a password, the person sets it with an invitation link.
    password: Secret | None = None
    role: Role = "reader"
    devices: DeviceIds = []


class AccountChange(msgspec.Struct, frozen=True):
    """Omitted fields stay unchanged; a new password signs the person out."""

    role: Role | None = None
    devices: DeviceIds | None = None
    password: Secret | None = None


class PasswordChange(msgspec.Struct, frozen=True):
    current: Secret
    password: Secret


class AccountInvitation(msgspec.Struct, frozen=True, rename="camel"):
    """`token` is the secret part of the link; it is not stored and cannot be shown again."""

    token: str
    expires_at: int


Token = Annotated[str, Meta(min_length=1, max_length=100)]


class InvitationQuestion(msgspec.Struct, frozen=True):
    token: Token


class InvitedAccount(msgspec.Struct, frozen=True, rename="camel"):
    """The account that an invitation link belongs to."""

    name: str
    role: Role
    expires_at: int


class AcceptedInvitation(msgspec.Struct, frozen=True):
    token: Token
    password: Secret


@dataclass(frozen=True)
class View:
    """What a person without the role "admin" sees: the assigned devices and their folders."""

    devices: frozenset[int]
    folders: frozenset[int]
