"""The errors a plugin may raise."""

import math

from quartet.downloads.hosters.plugin_types import Text
from quartet.kernel.errors import Problem

LONGEST_WAIT = 86_400.0


class PluginError(Exception):
    """Has a text in both languages, or an error code that the UI knows, or neither."""

    def __init__(self, text: Text | Problem | None = None, *, seconds: float | None = None) -> None:
        super().__init__()
        self.text = text if isinstance(text, Text) else None
        # What the UI shows; set from the text when the call ends.
        self.problem = text if isinstance(text, Problem) else None
        self.seconds = _bounded(seconds)

    def __str__(self) -> str:
        if self.text:
            return self.text.en
        return self.problem.code if self.problem else type(self).__name__


class Offline(PluginError):
    """The file no longer exists."""


class Temporary(PluginError):
    """Retry later. With `seconds`, retry exactly then and do not count the attempt."""


class HosterLimit(PluginError):
    """The hoster refuses downloads for `seconds`; all downloads of this plugin wait."""


class AccountProblem(PluginError):
    """The account does not work; it is not used again until it was checked."""


class Unsupported(PluginError):
    """The plugin does not support this link; another multi-hoster may."""


class Fatal(PluginError):
    """A retry would not help."""


def _bounded(seconds: object) -> float | None:
    """Limit the value, because plugins copy it from web pages."""
    if not isinstance(seconds, int | float) or not math.isfinite(seconds):
        return None
    return min(max(float(seconds), 0.0), LONGEST_WAIT)
