"""Which device changed what, from the engine's events about the disk."""

from collections.abc import Callable

import msgspec

from quartet.sync.engine.rest import Rest
from quartet.sync.engine.types import Change

WAIT_SECONDS = 30

OnChanges = Callable[[list[Change]], None]


async def follow_changes(rest: Rest, on_changes: OnChanges) -> None:
    since = 0
    while True:
        events = await rest.events(since, WAIT_SECONDS, "events/disk")
        if events:
            since = events[-1].id
            on_changes([msgspec.convert(event.data, Change) for event in events])
