from typing import Annotated, NamedTuple

import msgspec

from quartet.kernel.errors import Problem

Url = Annotated[str, msgspec.Meta(min_length=1, max_length=8000)]
Name = Annotated[str, msgspec.Meta(max_length=200)]
Minutes = Annotated[int, msgspec.Meta(ge=5, le=10_080)]


class NewFeed(msgspec.Struct, frozen=True, rename="camel"):
    url: Url
    # By default, the title of the feed.
    name: Name = ""
    interval_minutes: Minutes = 30
    # Take only entries that a rule matches; otherwise all entries come into the link grabber.
    only_matching: bool = True
    enabled: bool = True


class FeedChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    url: Url | None = None
    name: Name | None = None
    interval_minutes: Minutes | None = None
    only_matching: bool | None = None
    enabled: bool | None = None


class Feed(NewFeed, frozen=True, rename="camel", kw_only=True):
    """A feed; times in Unix milliseconds."""

    id: int
    # The last attempt to read it, and why it failed.
    checked_at: int | None
    error: Problem | None
    # How many entries were added since the feed exists.
    taken: int


class StoredFeed(NamedTuple):
    """What is needed to read a feed."""

    id: int
    url: str
    name: str
    only_matching: bool
    etag: str | None
    modified: str | None


class FeedEntry(NamedTuple):
    """An entry; `links` are its enclosures, or its link."""

    key: str
    title: str
    links: list[str]
    size: int | None = None


class FeedDocument(NamedTuple):
    title: str
    entries: list[FeedEntry]
