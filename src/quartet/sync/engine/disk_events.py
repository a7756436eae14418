"""Reads from the engine's disk events which device changed which file."""

from collections.abc import Callable

import msgspec

from quartet.sync.engine.rest import Rest
from quartet.sync.engine.types import DiskChange

WAIT_SECONDS = 30

OnDiskChanges = Callable[[list[DiskChange]], None]


async def follow_disk_changes(rest: Rest, on_changes: OnDiskChanges) -> None:
    since = 0
    while True:
        events = await rest.events(since, WAIT_SECONDS, "events/disk")
        if events:
            since = events[-1].id
            on_changes([msgspec.convert(event.data, DiskChange) for event in events])
