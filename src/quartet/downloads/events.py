"""The events sent to browsers."""

from typing import Literal

from quartet.kernel.events import Event

Topic = Literal[
    "downloads",
    "accounts",
    "plugins",
    "settings",
    "files",
    "captchas",
    "history",
    "feeds",
    "solvers",
    "icons",
]


# Beyond this, loading everything is cheaper than loading the items one by one.
MOST_IDS = 1000


class Changed(Event, frozen=True, tag="changed", omit_defaults=True):
    """Data of this topic has changed, and browsers reload it.

    For the topic `downloads`, the ids say which packages and downloads have changed or are gone;
    without any ids, everything may have changed.
    """

    topic: Topic
    packages: list[int] | None = None
    downloads: list[int] | None = None

    def merged(self, other: "Changed") -> "Changed":
        """Return one event for both."""
        both = {*self._ids(), *other._ids()}
        if not self._ids() or not other._ids() or len(both) > MOST_IDS:
            return Changed(self.topic)
        return Changed(
            self.topic,
            sorted({*(self.packages or ()), *(other.packages or ())}) or None,
            sorted({*(self.downloads or ()), *(other.downloads or ())}) or None,
        )

    def _ids(self) -> set[tuple[str, int]]:
        return {
            *(("package", id) for id in self.packages or ()),
            *(("download", id) for id in self.downloads or ()),
        }
