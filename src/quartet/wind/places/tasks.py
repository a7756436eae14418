import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError
from quartet.kernel.supervisor import BackgroundTask, every
from quartet.wind.places.service import Places, fetch

if TYPE_CHECKING:
    from collections.abc import Callable

    from quartet.kernel.outbound import OutboundClient

log = logging.getLogger("quartet.wind.places")

_HOUR = 3600.0
# Delayed, to keep the startup short.
_FIRST_SECONDS = 2.0
_FETCH_SECONDS = 20.0


def places_loop(places: Places) -> BackgroundTask:
    async def refresh() -> None:
        await asyncio.sleep(_FIRST_SECONDS)
        await places.refresh()

    return every(_HOUR, refresh, name="places", everywhere=True)


def fetch_loop(
    places: Places, outbound: "Callable[[], OutboundClient]", address: str, *, with_names: bool
) -> BackgroundTask:
    folder: Path = places.folder

    async def look() -> None:
        await asyncio.sleep(_FETCH_SECONDS)
        try:
            await fetch(folder, outbound, address, with_names=with_names)
            await places.refresh()
        except AppError as error:
            # Keep using the existing index.
            log.warning("could not fetch the list of places: %s", error)

    return every(_HOUR, look, name="fetch places", jitter=600, everywhere=True)
