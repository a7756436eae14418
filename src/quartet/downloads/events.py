"""The events sent to browsers."""

from typing import Literal

from quartet.kernel.events import Event

Topic = Literal["downloads", "accounts", "plugins", "settings", "files", "captchas"]


class Changed(Event, frozen=True, tag="changed"):
    """Data of this topic has changed, and browsers reload it."""

    topic: Topic
