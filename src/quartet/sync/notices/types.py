from typing import Annotated

import msgspec
from msgspec import Meta

from quartet.kernel.errors import Problem
from quartet.kernel.notifier import Language


class Target(msgspec.Struct, frozen=True):
    """A recipient; its URL may contain a secret and is shown masked."""

    name: Annotated[str, Meta(max_length=100)]
    # An Apprise URL, such as `ntfys://host/topic`.
    url: Annotated[str, Meta(min_length=1, max_length=2000)]


class NoticeSettings(msgspec.Struct, frozen=True, rename="camel"):
    targets: Annotated[list[Target], Meta(max_length=20)] = []
    # Report devices that are offline for longer; 0 disables it.
    offline_minutes: Annotated[int, Meta(ge=0, le=525_600)] = 60
    conflicts: bool = True
    errors: bool = True
    language: Language = "en"


class ShownNotices(NoticeSettings, frozen=True, rename="camel"):
    # Why the last message could not be sent.
    error: Problem | None = None


class NoticeTest(msgspec.Struct, frozen=True):
    """The URL of a target; a masked one means the stored URL."""

    url: Annotated[str, Meta(min_length=1, max_length=2000)]
