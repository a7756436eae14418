from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from quartet.wind.languages import Language

Role = Literal["user", "admin"]

# Limits of lengths are wide; what a name or an address may hold is checked in `words` and
# `mail.address`.
Name = Annotated[str, Meta(max_length=200)]
Email = Annotated[str, Meta(max_length=320)]
Password = Annotated[str, Meta(max_length=2000)]
Code = Annotated[str, Meta(max_length=200)]
# What navigator.credentials answers, as toJSON() gives it.
Credential = dict[str, Any]


class User(msgspec.Struct, frozen=True):
    """A person as stored."""

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


class NewUser(msgspec.Struct, frozen=True):
    """What is known of a person before they have an id; `invite` is the hash of its code."""

    name: str
    language: Language
    invite: str | None = None
    email: str | None = None
    email_confirmed: bool = False
    password_hash: str | None = None


class Passkey(msgspec.Struct, frozen=True):
    """A passkey as stored."""

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
    """`synced`: it lies in a keychain that several devices share."""

    id: int
    name: str
    synced: bool
    created_at: int
    last_used_at: int | None


class SessionShown(msgspec.Struct, frozen=True, rename="camel"):
    """A browser that is signed in."""

    id: str
    created_at: int
    current: bool


class Me(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One's own account; `pending_email` waits for its confirmation."""

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


class MeChange(msgspec.Struct, frozen=True):
    """`email` null takes the address away."""

    name: Name | msgspec.UnsetType = msgspec.UNSET
    language: Language | msgspec.UnsetType = msgspec.UNSET
    email: Email | msgspec.UnsetType | None = msgspec.UNSET


class PasswordChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """`current` is needed once there is a password."""

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
    """The same for an address that has an account already; `confirm`: look into the mailbox.

    Without mail a new account is signed in at once.
    """

    confirm: bool


class PasswordSignIn(msgspec.Struct, frozen=True):
    email: Email
    password: Password


class Options(msgspec.Struct, frozen=True):
    """For navigator.credentials: parseCreationOptionsFromJSON or parseRequestOptionsFromJSON."""

    options: dict[str, Any]


class Registration(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    credential: Credential
    passkey_name: Name | None = None


class Assertion(msgspec.Struct, frozen=True):
    credential: Credential


class PasskeyName(msgspec.Struct, frozen=True):
    name: Name


class Link(msgspec.Struct, frozen=True):
    """What a link in a mail carries."""

    token: Code


class Confirmed(msgspec.Struct, frozen=True):
    """After a sign-up one is signed in; another address belongs to the account from now on."""

    purpose: Literal["sign_up", "email"]


class Forgotten(msgspec.Struct, frozen=True):
    email: Email


class Reset(msgspec.Struct, frozen=True):
    token: Code
    password: Password


class Ceremony(msgspec.Struct, frozen=True, omit_defaults=True):
    """A passkey question that was asked; `user_id` for one who adds a passkey."""

    kind: Literal["sign_up", "sign_in", "add"]
    challenge: bytes
    handle: bytes = b""
    new: NewUser | None = None
    user_id: int | None = None


class MailLink(msgspec.Struct, frozen=True):
    """A mail and what its link opens; `new` is a sign-up that waits for its address.

    `moved` tells the old address of an account of the new one; it has no link.
    """

    purpose: Literal["sign_up", "email", "reset", "moved"]
    email: str
    user_id: int | None = None
    new: NewUser | None = None


class Invite(msgspec.Struct, frozen=True, rename="camel"):
    """The code itself is shown once, when the invite is made."""

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
    """`path` is where its holder signs up, below the address of the site."""

    invite: Invite
    code: str
    path: str


class UserShown(msgspec.Struct, frozen=True, rename="camel"):
    """A person as admins see them."""

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


class UserPage(msgspec.Struct, frozen=True):
    users: list[UserShown]
    total: int


class Entered(msgspec.Struct, frozen=True):
    """Somebody has signed in: the session's token for the cookie, and the answer."""

    token: str
    me: Me
    handle: bytes
