from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quartet.kernel.errors import Problem

Secret = Annotated[str, Meta(max_length=1000)]
Address = Annotated[str, Meta(min_length=1, max_length=1000)]
WebAddress = Annotated[str, Meta(max_length=500, pattern=r"^https?://[^\s]+$")]
Occasion = Literal["done", "failed", "inbox"]
EVERY_OCCASION: tuple[Occasion, ...] = ("done", "failed", "inbox")


class Notification(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Whom to tell. The address is shown masked; sent masked it stays."""

    # An address apprise knows, such as `ntfys://host/topic`.
    url: Address
    name: Annotated[str, Meta(max_length=100)] = ""
    occasions: tuple[Occasion, ...] = EVERY_OCCASION


class Webhook(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Gets what happened as JSON; the token is sent as `Authorization: Bearer`."""

    url: WebAddress
    token: Secret = ""
    occasions: tuple[Occasion, ...] = EVERY_OCCASION


class MediaServer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Reads its library again after a job. Sent empty or masked, the token stays."""

    kind: Literal["jellyfin", "emby", "plex"]
    url: WebAddress
    token: Secret = ""
    # Our folder as the server sees it, as `ours:theirs`; without one the paths are the same.
    path_map: Annotated[tuple[Annotated[str, Meta(max_length=8192)], ...], Meta(max_length=50)] = ()


class Notifications(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    notifications: Annotated[list[Notification], Meta(max_length=50)] = []
    webhooks: Annotated[list[Webhook], Meta(max_length=50)] = []
    servers: Annotated[list[MediaServer], Meta(max_length=50)] = []


class NotificationTest(msgspec.Struct, frozen=True):
    """Which one of the saved list; counted from 0."""

    list: Literal["notifications", "webhooks", "servers"]
    index: Annotated[int, Meta(ge=0, le=49)]


class TestResult(msgspec.Struct, frozen=True):
    ok: bool
    error: Problem | None = None


class HookedFile(msgspec.Struct, frozen=True):
    source: str
    target: str


class Message(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a webhook gets: a job that did something, or files that wait for a person."""

    source: str = "quartet"
    event: Literal["done", "failed", "inbox", "test"]
    job_id: int
    kind: str
    done: int = 0
    failed: int = 0
    waiting: int = 0
    error: Problem | None = None
    # The first hundred.
    files: list[HookedFile] = []
