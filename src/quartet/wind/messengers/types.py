from typing import Annotated

import msgspec
from msgspec import Meta


class NewMessenger(msgspec.Struct, frozen=True):
    """An Apprise URL, such as `ntfys://ntfy.sh/topic` or `tgram://token/chat`."""

    url: Annotated[str, Meta(min_length=1, max_length=1000)]


class Messenger(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The address is masked, as it contains secrets. `failed_at`: since when deliveries fail."""

    id: int
    address: str
    created_at: int
    failed_at: int | None = None


class MessengerList(msgspec.Struct, frozen=True):
    messengers: list[Messenger]
    limit: int


class StoredMessenger(msgspec.Struct, frozen=True):
    id: int
    url: str
    created_at: int
    failed_at: int | None


class MessengerResult(msgspec.Struct, frozen=True):
    """How many addresses were reached, and the ids of those that were not."""

    delivered: int
    retry: tuple[int, ...] = ()
