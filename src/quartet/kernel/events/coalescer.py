"""Rate limit for progress events."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from quartet.kernel.events.hub import EventHub
from quartet.kernel.events.types import Event

E = TypeVar("E", bound=Event)


class Coalescer:
    """Keeps the latest event per key; publishes at a fixed rate, at once after a quiet period."""

    def __init__(self, hub: EventHub, interval: float) -> None:
        self._hub = hub
        self._interval = interval
        self._waiting: dict[object, Event] = {}
        self._timer: asyncio.Handle | None = None

    def put(self, key: object, event: E, merge: Callable[[Any, E], Event] | None = None) -> None:
        """`merge` combines an event that is still waiting with the new one."""
        waiting = self._waiting.get(key)
        self._waiting[key] = merge(waiting, event) if merge and waiting else event
        if self._timer is None:
            # Scheduled instead of published directly, to include everything put in the same
            # iteration.
            self._timer = asyncio.get_running_loop().call_soon(self._tick)

    def forget(self, key: object) -> None:
        """Discard waiting progress, because something newer was published for this key."""
        self._waiting.pop(key, None)

    def flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for event in waiting.values():
            self._hub.publish(event)

    def _tick(self) -> None:
        if not self._waiting:
            self._timer = None
            return
        self.flush()
        self._timer = asyncio.get_running_loop().call_later(self._interval, self._tick)
