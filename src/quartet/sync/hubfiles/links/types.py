from typing import Annotated

import msgspec

LONGEST_HOURS = 365 * 24


class NewLink(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A link to a file, a folder below, or the whole folder if `path` is empty.

    A misspelled field is an error: without its password, the link would be open to everyone.
    """

    path: Annotated[str, msgspec.Meta(max_length=4096)]
    hours: Annotated[int, msgspec.Meta(ge=1, le=LONGEST_HOURS)]
    # Without a password, everyone who knows the link may download.
    password: Annotated[str, msgspec.Meta(max_length=1024)] | None = None
    # Without a limit, only the expiry ends the link.
    most_downloads: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None


class ShareLink(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    folder_id: int
    path: str
    user: str
    created_at: int
    expires_at: int
    has_password: bool
    downloads: int
    most_downloads: int | None


class CreatedLink(msgspec.Struct, frozen=True):
    """`token` is the secret part of the link; it is not stored and cannot be shown again."""

    link: ShareLink
    token: str


class KnownLink(msgspec.Struct, frozen=True):
    link: ShareLink
    password_hash: str | None


Token = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class LinkQuestion(msgspec.Struct, frozen=True):
    """Who opens a link; the answer to a wrong password is an error."""

    token: Token
    password: Annotated[str, msgspec.Meta(max_length=1024)] | None = None


class LinkedFile(msgspec.Struct, frozen=True, rename="camel"):
    """What a link leads to; nothing but the expiry is known without its password."""

    expires_at: int
    needs_password: bool
    name: str = ""
    is_folder: bool = False
    # None for a folder.
    size: int | None = None
