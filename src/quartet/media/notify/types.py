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
    """Receives events as JSON; the token is sent as `Authorization: Bearer`.

    With a signing key, `X-Quartet-Signature` is `sha256=` and the HMAC-SHA256 of the body in
    hexadecimal digits.
    """

    url: WebAddress
    token: Secret = ""
    signing_key: Secret = ""
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


class Script(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Runs a file of the folder `APP_SCRIPTS`; it reads the event as JSON from its input."""

    name: Annotated[str, Meta(min_length=1, max_length=255, pattern=r"^[^/\x00]+$")]
    occasions: tuple[Occasion, ...] = EVERY_OCCASION
    # It is ended after this time.
    seconds: Annotated[int, Meta(ge=1, le=3600)] = 60


class Notifications(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    notifications: Annotated[list[Notification], Meta(max_length=50)] = []
    webhooks: Annotated[list[Webhook], Meta(max_length=50)] = []
    servers: Annotated[list[MediaServer], Meta(max_length=50)] = []
    scripts: Annotated[list[Script], Meta(max_length=50)] = []


class NewNotifications(
    Notifications, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """Notifications of a request: a misspelt name would empty its list."""


class NotificationTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Selects an entry of the saved list; counted from 0."""

    list: Literal["notifications", "webhooks", "servers", "scripts"]
    index: Annotated[int, Meta(ge=0, le=49)]


class TestResult(msgspec.Struct, frozen=True):
    ok: bool
    error: Problem | None = None


class WebhookFile(msgspec.Struct, frozen=True):
    source: str
    target: str


class WebhookItem(msgspec.Struct, frozen=True):
    """A file with its old and new path, and the state of its item."""

    source: str
    target: str | None
    state: str
    error: Problem | None = None


class AvailableScripts(msgspec.Struct, frozen=True):
    """The files that may be run; none if the operator configured no folder."""

    names: list[str]


class WebhookMessage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What webhooks and scripts receive: a job handled files or failed, or items need review."""

    source: str = "quartet"
    event: Literal["done", "failed", "inbox", "test"]
    job_id: int
    kind: str
    # The status of the job, such as "done" or "ready".
    state: str = ""
    done: int = 0
    failed: int = 0
    waiting: int = 0
    error: Problem | None = None
    # Only the first hundred files, so that the message stays small.
    files: list[WebhookFile] = []
    # The first thousand, with those that failed.
    items: list[WebhookItem] = []
