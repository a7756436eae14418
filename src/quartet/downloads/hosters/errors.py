"""What a plugin may say about something that does not work."""

import math

from quartet.downloads.hosters.shapes import Text
from quartet.kernel.errors import Problem

LONGEST_WAIT = 86_400.0


class PluginError(Exception):
    """With a text in both languages, or with a code the UI knows, or with neither."""

    def __init__(self, text: Text | Problem | None = None, *, seconds: float | None = None) -> None:
        super().__init__()
        self.text = text if isinstance(text, Text) else None
        # What the list will say; filled in from the text when the call ends.
        self.problem = text if isinstance(text, Problem) else None
        self.seconds = _bounded(seconds)

    def __str__(self) -> str:
        if self.text:
            return self.text.en
        return self.problem.code if self.problem else type(self).__name__


class Offline(PluginError):
    """The file is gone for good."""


class Temporary(PluginError):
    """Tried again later; with `seconds` exactly then, and that attempt is not counted."""


class HosterLimit(PluginError):
    """The hoster gives nothing for `seconds`: all downloads of this plugin wait."""


class AccountProblem(PluginError):
    """The account does not work; it is not used again before it was checked."""


class Unsupported(PluginError):
    """Not a link for this plugin after all: a multi-hoster lets the next one try."""


class Fatal(PluginError):
    """Trying again would not help."""


def _bounded(seconds: object) -> float | None:
    """Plugins copy these from pages that say anything."""
    if not isinstance(seconds, int | float) or not math.isfinite(seconds):
        return None
    return min(max(float(seconds), 0.0), LONGEST_WAIT)
