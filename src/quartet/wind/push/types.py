import msgspec


class PushInfo(msgspec.Struct, frozen=True, rename="camel"):
    """`email` says whether mails can be sent, `subscriptions` counts one's browsers."""

    public_key: str
    email: bool
    subscriptions: int


class SubscriptionKeys(msgspec.Struct, frozen=True):
    """The browser's public key and its secret, in base64 for addresses."""

    p256dh: str
    auth: str


class NewSubscription(msgspec.Struct, frozen=True):
    """As a browser's `PushSubscription` turns itself into JSON."""

    endpoint: str
    keys: SubscriptionKeys


class OldSubscription(msgspec.Struct, frozen=True):
    """Without an endpoint all of one's browsers are meant."""

    endpoint: str | None = None


class Subscription(msgspec.Struct, frozen=True):
    id: int
    endpoint: str
    p256dh: str
    auth: str
    created_at: int
    failed_at: int | None


class KeptSubscription(msgspec.Struct, frozen=True, rename="camel"):
    """What may be told about a subscription: whose service it is, but not its secret address."""

    id: int
    service: str
    created_at: int
    failed_at: int | None


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """What a browser shows; `url` opens when it is pressed.

    A later message with the same `tag` replaces an earlier one on the screen, with the same
    `topic` also one that has not arrived yet. After `ttl` seconds it is worth nothing any more.
    """

    title: str
    body: str
    url: str
    tag: str
    ttl: int = 86400
    topic: str | None = None


class Sent(msgspec.Struct, frozen=True):
    """Numbers of browsers; those in `retry` may be reached later, in so many seconds if told."""

    delivered: int
    removed: int
    failed: int
    retry: tuple[int, ...] = ()
    retry_after: float | None = None


class Counts(msgspec.Struct, frozen=True, rename="camel"):
    """`failing` are those to whom nothing has come through lately."""

    subscriptions: int
    accounts: int
    failing: int
