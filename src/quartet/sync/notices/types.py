from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quartet.kernel.errors import Problem

Language = Literal["en", "de"]


class Target(msgspec.Struct, frozen=True):
    """Whom to tell; the address may hold a secret and is shown masked."""

    name: Annotated[str, Meta(max_length=100)]
    # An address apprise knows, such as `ntfys://host/topic`.
    url: Annotated[str, Meta(min_length=1, max_length=2000)]


class NoticeSettings(msgspec.Struct, frozen=True, rename="camel"):
    targets: Annotated[list[Target], Meta(max_length=20)] = []
    # A device that is away for longer is told of; 0 never.
    offline_minutes: Annotated[int, Meta(ge=0, le=525_600)] = 60
    conflicts: bool = True
    errors: bool = True
    language: Language = "en"


class ShownNotices(NoticeSettings, frozen=True, rename="camel"):
    # Why the last message did not get out.
    error: Problem | None = None


class NoticeTest(msgspec.Struct, frozen=True):
    """The address of a target; masked it means the one that is kept."""

    url: Annotated[str, Meta(min_length=1, max_length=2000)]


class Message(msgspec.Struct, frozen=True):
    title: str
    body: str
