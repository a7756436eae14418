from typing import NamedTuple

import msgspec

from quartet.downloads.packages.types import Online


class NewLinks(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`links` is text with one link on each line."""

    links: str
    package_name: str | None = None
    target_dir: str | None = None
    # Download password and first archive password, where these are not given on their own.
    password: str | None = None
    download_password: str | None = None
    # A list, or text with one on each line.
    passwords: list[str] | str | None = None
    start: bool = False
    source: str | None = None
    source_page: str | None = None


class Added(msgspec.Struct, frozen=True, rename="camel"):
    package_id: int
    # Links that were in the list before; they are added all the same.
    duplicates: int


class Link(NamedTuple):
    url: str
    host: str
    name: str
    # Of the hoster, and whether it is a folder there; plain links have none.
    plugin_id: str | None = None
    folder: bool = False


class Unchecked(NamedTuple):
    id: int
    url: str
    plugin_id: str | None
    name: str


class Found(NamedTuple):
    """What a server says about a link; nothing where it says nothing."""

    online: Online
    name: str | None = None
    size: int | None = None
    hash_type: str | None = None
    hash_value: str | None = None
    # A folder, which is to be looked into.
    folder: bool = False
