import msgspec


class PushInfo(msgspec.Struct, frozen=True, rename="camel"):
    """`email`: mails can be sent; `subscriptions`: number of your subscribed browsers."""

    public_key: str
    email: bool
    subscriptions: int
