"""What open browsers are told."""

from typing import Literal

from quartet.kernel.events import Event

Topic = Literal["downloads", "accounts", "plugins", "settings", "files", "captchas"]


class Changed(Event, frozen=True, tag="changed"):
    """Data of this kind changed: whoever shows it loads it again."""

    topic: Topic
