from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from quartet.kernel.errors import Problem

Language = Literal["en", "de"]
Occasion = Literal["finished", "failed", "captcha", "disk_full"]
EVERY_OCCASION: tuple[Occasion, ...] = ("finished", "failed", "captcha", "disk_full")
Address = Annotated[str, Meta(min_length=1, max_length=2000)]


class Target(msgspec.Struct, frozen=True):
    """Whom to tell; the address may hold a secret and is shown masked."""

    # One apprise knows, such as `ntfys://host/topic`.
    url: Address
    name: Annotated[str, Meta(max_length=100)] = ""
    occasions: tuple[Occasion, ...] = EVERY_OCCASION


class NoticeSettings(msgspec.Struct, frozen=True):
    targets: Annotated[list[Target], Meta(max_length=20)] = []
    language: Language = "en"


class ShownNotices(NoticeSettings, frozen=True):
    # Why the last message did not get out.
    error: Problem | None = None


class NoticeTest(msgspec.Struct, frozen=True):
    """The address of a target; masked it means the one that is kept."""

    url: Address


class News(NamedTuple):
    """Something that happened, to something with a name."""

    occasion: Occasion
    name: str
    reason: str = ""


class Scene(NamedTuple):
    """What there is to be told of, by what tells it apart from others."""

    finished: dict[int, str]
    failed: dict[int, tuple[str, str]]
    full: dict[int, str]
