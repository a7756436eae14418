from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from quartet.kernel.errors import Problem
from quartet.kernel.notifier import Language

Occasion = Literal["finished", "failed", "captcha", "disk_full"]
EVERY_OCCASION: tuple[Occasion, ...] = ("finished", "failed", "captcha", "disk_full")
Address = Annotated[str, Meta(min_length=1, max_length=2000)]


class Target(msgspec.Struct, frozen=True):
    """A notification target; the address may contain a secret and is shown masked."""

    # An Apprise URL, such as `ntfys://host/topic`.
    url: Address
    name: Annotated[str, Meta(max_length=100)] = ""
    occasions: tuple[Occasion, ...] = EVERY_OCCASION


class NoticeSettings(msgspec.Struct, frozen=True):
    targets: Annotated[list[Target], Meta(max_length=20)] = []
    language: Language = "en"


class ShownNotices(NoticeSettings, frozen=True):
    # Why the last message could not be sent.
    error: Problem | None = None


class NoticeTest(msgspec.Struct, frozen=True):
    """The address of a target; a masked one stands for the stored one."""

    url: Address


class Notification(NamedTuple):
    """An event and the name of the download, package or question it concerns."""

    occasion: Occasion
    name: str
    reason: str = ""


class NotificationState(NamedTuple):
    """The state from which notifications are derived, by id."""

    finished: dict[int, str]
    failed: dict[int, tuple[str, str]]
    full: dict[int, str]
