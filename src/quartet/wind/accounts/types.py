from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from quartet.wind.languages import Language
from quartet.wind.units import Units

Role = Literal["user", "admin"]

# These lengths only limit the request; `input_cleanup` and `mail.address` check the contents.
Name = Annotated[str, Meta(max_length=200)]
Email = Annotated[str, Meta(max_length=320)]
Password = Annotated[str, Meta(max_length=2000)]
Code = Annotated[str, Meta(max_length=200)]
# The result of navigator.credentials, as toJSON() returns it.
Credential = dict[str, Any]


class User(msgspec.Struct, frozen=True):
    """A row of the users table."""

    id: int
    handle: bytes
    name: str
    email: str | None
    email_key: str | None
    email_confirmed: bool
    password_hash: str | None
    role: Role
    disabled: bool
    language: Language
    created_at: int
    seen_at: int | None
    units: Units | None


class NewUser(msgspec.Struct, frozen=True):
    """A user before the row exists; `invite` is the hash of the code."""

    name: str
    language: Language
    invite: str | None = None
    email: str | None = None
    email_confirmed: bool = False
    password_hash: str | None = None


class Passkey(msgspec.Struct, frozen=True):
    """A row of the passkeys table."""

    id: int
    user_id: int
    credential_id: bytes
    public_key: bytes
    sign_count: int
    transports: list[str]
    device_type: str
    backed_up: bool
    name: str
    created_at: int
    last_used_at: int | None

    def shown(self) -> "PasskeyShown":
        return PasskeyShown(self.id, self.name, self.backed_up, self.created_at, self.last_used_at)


class PasskeyShown(msgspec.Struct, frozen=True, rename="camel"):
    """`synced`: stored in a keychain that several devices share."""

    id: int
    name: str
    synced: bool
    created_at: int
    last_used_at: int | None


class SessionShown(msgspec.Struct, frozen=True, rename="camel"):
    """A signed-in browser; `device` is its User-Agent header."""

    id: str
    created_at: int
    current: bool
    seen_at: int
    address: str
    device: str


class SessionState(msgspec.Struct, frozen=True, rename="camel"):
    signed_in: bool


class InviteCode(msgspec.Struct, frozen=True):
    code: Code


class Me(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Your account; `pending_email` is not confirmed yet.

    `recovery_codes` is the number of unused codes. Without `units` none were chosen yet.
    """

    id: int
    name: str
    email_confirmed: bool
    has_password: bool
    passkeys: list[PasskeyShown]
    sessions: list[SessionShown]
    role: Role
    language: Language
    created_at: int
    email: str | None = None
    pending_email: str | None = None
    recovery_codes: int = 0
    units: Units | None = None


class MeChange(msgspec.Struct, frozen=True):
    """`email: null` removes the address."""

    name: Name | msgspec.UnsetType = msgspec.UNSET
    language: Language | msgspec.UnsetType = msgspec.UNSET
    email: Email | msgspec.UnsetType | None = msgspec.UNSET
    units: Units | msgspec.UnsetType = msgspec.UNSET


class PasswordChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """`current` is required if the account has a password."""

    password: Password
    current: Password | None = None


class PasskeySignUp(msgspec.Struct, frozen=True, omit_defaults=True):
    name: Name
    invite: Code | None = None
    language: Language | None = None


class PasswordSignUp(msgspec.Struct, frozen=True, omit_defaults=True):
    name: Name
    email: Email
    password: Password
    invite: Code | None = None
    language: Language | None = None


class SignedUp(msgspec.Struct, frozen=True):
    """`confirm`: the address has to be confirmed by mail. Without mail a new account is signed in.

    The response is the same if the address already has an account.
    """

    confirm: bool


class PasswordSignIn(msgspec.Struct, frozen=True):
    email: Email
    password: Password


class Options(msgspec.Struct, frozen=True):
    """For parseCreationOptionsFromJSON or parseRequestOptionsFromJSON of navigator.credentials."""

    options: dict[str, Any]


class Registration(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    credential: Credential
    passkey_name: Name | None = None


class Assertion(msgspec.Struct, frozen=True):
    credential: Credential


class PasskeyName(msgspec.Struct, frozen=True):
    name: Name


class Link(msgspec.Struct, frozen=True):
    """The token of a link in a mail."""

    token: Code


class Confirmed(msgspec.Struct, frozen=True):
    """`sign_up`: the new account is signed in. `email`: the account has the new address now."""

    purpose: Literal["sign_up", "email"]


class Forgotten(msgspec.Struct, frozen=True):
    email: Email


class Reset(msgspec.Struct, frozen=True):
    token: Code
    password: Password


class PasswordCheck(msgspec.Struct, frozen=True):
    password: Password


class RecoveryCodes(msgspec.Struct, frozen=True):
    codes: list[str]


class RecoverySignIn(msgspec.Struct, frozen=True):
    code: Code


class ResetTarget(msgspec.Struct, frozen=True, omit_defaults=True):
    """The account a link belongs to; without `email` it cannot have a password."""

    name: str
    email: str | None = None


class RecoveryLink(msgspec.Struct, frozen=True, rename="camel"):
    """`path` is relative to the address of the site, and contains a secret."""

    path: str
    expires_at: int


class Ceremony(msgspec.Struct, frozen=True, omit_defaults=True):
    """State of a begun passkey ceremony; `user_id` is set if it concerns an existing account.

    `link` is the hash of the token of a recovery link.
    """

    kind: Literal["sign_up", "sign_in", "add", "check", "reset"]
    challenge: bytes
    handle: bytes = b""
    new: NewUser | None = None
    user_id: int | None = None
    link: str = ""


class MailLink(msgspec.Struct, frozen=True):
    """A mail to send, with what its link does; `new` is a sign-up to be confirmed.

    `moved` informs the old address about the new one and has no link. A `recovery` link is passed
    on by an operator instead of a mail; its address is empty if the account has none.
    """

    purpose: Literal["sign_up", "email", "reset", "recovery", "moved"]
    email: str
    user_id: int | None = None
    new: NewUser | None = None


class Invite(msgspec.Struct, frozen=True, rename="camel"):
    """The code is only shown when the invite is created."""

    id: int
    note: str
    role: Role
    created_by: int | None
    created_at: int
    expires_at: int
    used_by: int | None
    used_at: int | None


class NewInvite(msgspec.Struct, frozen=True, omit_defaults=True):
    note: Name = ""
    role: Role = "user"
    days: Annotated[int, Meta(ge=1, le=365)] = 14


class MadeInvite(msgspec.Struct, frozen=True):
    """`path` is the sign-up page, relative to the address of the site."""

    invite: Invite
    code: str
    path: str


class UserShown(msgspec.Struct, frozen=True, rename="camel"):
    """An account as admins see it."""

    id: int
    name: str
    email: str | None
    email_confirmed: bool
    has_password: bool
    passkeys: int
    role: Role
    disabled: bool
    language: Language
    created_at: int
    seen_at: int | None
    units: Units | None


class UserPage(msgspec.Struct, frozen=True):
    users: list[UserShown]
    total: int


class SignInResult(msgspec.Struct, frozen=True):
    """The result of a sign-in: session token, response body and user handle."""

    token: str
    me: Me
    handle: bytes
