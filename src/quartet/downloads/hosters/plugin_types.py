"""Arguments and results of plugin calls."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Annotated, Any, Literal

import msgspec

Size = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
Address = Annotated[str, msgspec.Meta(min_length=1, max_length=8000)]
Name = Annotated[str, msgspec.Meta(max_length=4000)]
Connections = Annotated[int, msgspec.Meta(ge=1, le=64)]
HashKind = Literal["md5", "sha1", "sha256", "crc32", "mega"]

MOST_FILES = 50_000


class Text(msgspec.Struct, frozen=True):
    """A text in both languages; the UI shows the one of the user."""

    de: Annotated[str, msgspec.Meta(max_length=2000)]
    en: Annotated[str, msgspec.Meta(max_length=2000)]


class Hash(msgspec.Struct, frozen=True):
    kind: HashKind
    value: Annotated[str, msgspec.Meta(max_length=200)]


class AccountForm(msgspec.Struct, frozen=True, rename="camel"):
    """The form for a new account; without `user_label` it only asks for a secret."""

    secret_label: Text
    user_label: Text | None = None
    help: Text | None = None
    secret_multiline: bool = False


class Account(msgspec.Struct, frozen=True):
    """The credentials the user entered."""

    id: int
    user: str
    secret: str

    def __repr__(self) -> str:
        return f"Account({self.id})"


class AccountState(msgspec.Struct, frozen=True):
    """The state of an account according to the hoster; `valid_until` in Unix seconds."""

    valid: bool
    premium: bool | None = None
    traffic_left: Size | None = None
    valid_until: Annotated[float, msgspec.Meta(ge=0, le=2**40)] | None = None
    text: Text | None = None


class Link(msgspec.Struct, frozen=True):
    """A link; `parts` are the named groups of the pattern that matched."""

    url: str
    name: str = ""
    parts: dict[str, str] = {}


class Checked(msgspec.Struct, frozen=True):
    online: bool
    name: Name | None = None
    size: Size | None = None
    hash: Hash | None = None


class FileLink(msgspec.Struct, frozen=True):
    """A file in a folder, with its own link."""

    url: Address
    name: Name | None = None
    size: Size | None = None
    hash: Hash | None = None


class Folder(msgspec.Struct, frozen=True):
    files: Annotated[list[FileLink], msgspec.Meta(max_length=MOST_FILES)]
    name: Name | None = None


class Decrypt(msgspec.Struct, frozen=True):
    """AES-128 in counter mode; the initial counter is `nonce` followed by zeros."""

    key: Annotated[bytes, msgspec.Meta(min_length=16, max_length=16)]
    nonce: Annotated[bytes, msgspec.Meta(min_length=8, max_length=8)]

    def __repr__(self) -> str:
        return "Decrypt()"


class Program(msgspec.Struct, frozen=True):
    """A program that fetches the file; docs/plugins.md describes its protocol."""

    command: Annotated[list[str], msgspec.Meta(min_length=1, max_length=50)]
    # A JSON object, to which `folder`, `limit` and `proxy` are added.
    request: Annotated[str, msgspec.Meta(max_length=100_000)] = "{}"


class File(msgspec.Struct, frozen=True):
    """The address of a file and what is known about it."""

    url: Address
    headers: dict[str, str] = {}
    cookies: dict[str, str] = {}
    name: Name | None = None
    size: Size | None = None
    max_connections: Connections | None = None
    hash: Hash | None = None
    # For files the server stores encrypted; the hash is that of the decrypted file.
    decrypt: Decrypt | None = None
    # For files that need an external program instead of a plain HTTP download.
    program: Program | None = None


@dataclass(frozen=True)
class Page:
    """A response of any status. If it looks like a file (`file`), the body is not read."""

    status: int
    url: str = field(repr=False)
    # Names are lower case.
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    file: bool = False

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        kind = Message()
        kind["Content-Type"] = self.headers.get("content-type", "")
        try:
            return self.body.decode(kind.get_content_charset("utf-8"), "replace")
        except LookupError:
            return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """Return the decoded JSON body, or an empty object if it is not JSON."""
        try:
            return msgspec.json.decode(self.body)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return {}

    def find(self, pattern: str) -> str | None:
        """Return the first group of the first match in the text."""
        found = re.search(pattern, self.text, re.IGNORECASE | re.DOTALL)
        return found.group(1) if found else None
