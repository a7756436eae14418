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
    """A recipient. The address is masked in responses; a masked one is kept."""

    # An Apprise address, such as `ntfys://host/topic`.
    url: Address
    name: Annotated[str, Meta(max_length=100)] = ""
    occasions: tuple[Occasion, ...] = EVERY_OCCASION
    # The host of this address may be in a private network.
    private: bool = False


class Webhook(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Receives events as JSON; the token is sent as `Authorization: Bearer`."""

    url: WebAddress
    token: Secret = ""
    occasions: tuple[Occasion, ...] = EVERY_OCCASION
    # The host of this address may be in a private network.
    private: bool = False


class MediaServer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Refreshes its library after a job. An empty or masked token is kept."""

    kind: Literal["jellyfin", "emby", "plex", "kodi"]
    url: WebAddress
    # For Kodi, `user:password` of its web server.
    token: Secret = ""
    # Maps our folders to the server's, as `ours:theirs`; without one the paths are the same.
    path_map: Annotated[tuple[Annotated[str, Meta(max_length=8192)], ...], Meta(max_length=50)] = ()
    # The host of this address may be in a private network.
    private: bool = False


class Notifications(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    notifications: Annotated[list[Notification], Meta(max_length=50)] = []
    webhooks: Annotated[list[Webhook], Meta(max_length=50)] = []
    servers: Annotated[list[MediaServer], Meta(max_length=50)] = []


class NotificationTest(msgspec.Struct, frozen=True):
    """Selects an entry of the saved list; counted from 0."""

    list: Literal["notifications", "webhooks", "servers"]
    index: Annotated[int, Meta(ge=0, le=49)]


class TestResult(msgspec.Struct, frozen=True):
    ok: bool
    error: Problem | None = None


class WebhookFile(msgspec.Struct, frozen=True):
    source: str
    target: str


class WebhookMessage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The body of a webhook: a job handled files or failed, or items need review."""

    source: str = "quartet"
    event: Literal["done", "failed", "inbox", "test"]
    job_id: int
    kind: str
    done: int = 0
    failed: int = 0
    waiting: int = 0
    error: Problem | None = None
    # The first hundred.
    files: list[WebhookFile] = []
