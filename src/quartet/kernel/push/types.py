import msgspec

from quartet.kernel.notifier import Language


class PushInfo(msgspec.Struct, frozen=True, rename="camel"):
    """`subscriptions`: number of your subscribed browsers."""

    public_key: str
    subscriptions: int


class SubscriptionKeys(msgspec.Struct, frozen=True):
    """The browser's public key and secret in base64url."""

    p256dh: str
    auth: str


class NewSubscription(msgspec.Struct, frozen=True):
    """The JSON form of the browser's `PushSubscription`."""

    endpoint: str
    keys: SubscriptionKeys


class OldSubscription(msgspec.Struct, frozen=True):
    """Without `endpoint`, all of your browsers are unsubscribed."""

    endpoint: str | None = None


class PushTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    language: Language = "en"


class BrowserSubscription(msgspec.Struct, frozen=True):
    id: int
    endpoint: str
    p256dh: str
    auth: str
    created_at: int
    failed_at: int | None


class KeptSubscription(msgspec.Struct, frozen=True, rename="camel"):
    """A subscription without its secret endpoint."""

    id: int
    service: str
    created_at: int
    failed_at: int | None


class PushMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A notification; `url` opens when it is clicked.

    A message with the same `tag` replaces an earlier one on screen; with the same `topic` also one
    that is not delivered yet. It expires after `ttl` seconds.
    """

    title: str
    body: str
    url: str
    tag: str
    ttl: int = 86400
    topic: str | None = None


class PushResult(msgspec.Struct, frozen=True):
    """Numbers of browsers; those in `retry` can be tried again after `retry_after` seconds."""

    delivered: int
    removed: int
    failed: int
    retry: tuple[int, ...] = ()
    retry_after: float | None = None


class Counts(msgspec.Struct, frozen=True, rename="camel"):
    """`failing`: subscriptions whose last delivery failed."""

    subscriptions: int
    accounts: int
    failing: int
