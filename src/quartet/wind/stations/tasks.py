import asyncio
import hashlib
import logging
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError
from quartet.kernel.supervisor import BackgroundTask, every
from quartet.wind.leadership import WORK
from quartet.wind.stations import dwd
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import KnownStation

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient

log = logging.getLogger("quartet.wind.stations")

# Delayed, to keep the startup short.
_FIRST_SECONDS = 1.0
_LISTS_SECONDS = 15.0
_DAY = 86400.0
_MOST_BYTES = 8_000_000
# Stations without data for this long are considered closed.
_SILENT_DAYS = 60
_FEWEST = 50

LIST_PATH = "hourly/wind/recent/FF_Stundenwerte_Beschreibung_Stationen.txt"


def load_loop(stations: Stations) -> BackgroundTask:
    async def load() -> None:
        await asyncio.sleep(_FIRST_SECONDS)
        await stations.load()

    return BackgroundTask("stations", load, everywhere=True)


def lists_loop(
    stations: Stations, outbound: "Callable[[], OutboundClient]", cdc_address: str, catalogue: str
) -> BackgroundTask:
    """Return the loop that fetches the DWD station lists once a day."""

    async def look() -> None:
        await asyncio.sleep(_LISTS_SECONDS)
        await stations.loaded.wait()
        await fetch_lists(stations, outbound(), cdc_address, catalogue)

    return every(_DAY, look, name="station lists", jitter=3600, exclusive=WORK)


async def fetch_lists(
    stations: Stations, outbound: "OutboundClient", cdc_address: str, catalogue: str
) -> None:
    """Fetch and import each list; one that fails is logged and does not affect the other."""
    since = time.strftime("%Y%m%d", time.gmtime(time.time() - _SILENT_DAYS * _DAY))

    def german_stations(text: str) -> list[KnownStation]:
        return [each for each in dwd.parse_mosmix_catalogue(text) if each.country == "DE"]

    lists: list[tuple[str, str, Callable[[str], Iterable[KnownStation]]]] = [
        (
            "dwd",
            f"{cdc_address.rstrip('/')}/{LIST_PATH}",
            lambda text: dwd.parse_station_list(text, since),
        ),
        ("mosmix", catalogue, german_stations),
    ]
    for name, address, parse in lists:
        try:
            found = list(parse(await _text(outbound, address)))
            await _import_list(stations, name, found, address)
        except AppError as error:
            # Keep using the known stations.
            log.warning("could not fetch the station list %s: %s", name, error)
    await stations.refresh()


async def _import_list(
    stations: Stations, name: str, found: list[KnownStation], source: str
) -> None:
    if len(found) < _FEWEST:
        # Probably an error page or a changed format.
        raise AppError(502, "bad_answer", address=source)
    if await stations.import_list(name, f"{len(found)}-{_digest(found)}", lambda: found):
        log.info("imported the station list %s: %d stations", name, len(found))


def _digest(found: list[KnownStation]) -> str:
    text = repr([(each.codes, each.lat, each.lon) for each in found])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


async def _text(outbound: "OutboundClient", address: str) -> str:
    answer = await outbound.get(address, max_bytes=_MOST_BYTES)
    if not answer.ok:
        raise AppError(502, "bad_answer", address=address)
    return answer.body.decode("latin-1")
