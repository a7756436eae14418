"""Hosters that refuse downloads for some time."""

import time

from quartet.kernel.errors import Problem


class HosterLimits:
    def __init__(self) -> None:
        self._until: dict[str, tuple[float, Problem]] = {}

    def set(self, plugin_id: str, seconds: float, problem: Problem) -> None:
        self._until[plugin_id] = (time.monotonic() + seconds, problem)

    def left(self, plugin_id: str) -> tuple[float, Problem] | None:
        """Return the remaining seconds and the reason, or None if the hoster is not limited."""
        until, problem = self._until.get(plugin_id, (0.0, None))
        seconds = until - time.monotonic()
        if problem is None or seconds <= 0:
            self._until.pop(plugin_id, None)
            return None
        return seconds, problem

    def clear(self, plugin_id: str) -> None:
        self._until.pop(plugin_id, None)
