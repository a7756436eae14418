"""Finds the newest planet of Protomaps and extracts an area from it."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError
from quartet.wind.basemap.extract import Box, Extracted, extract
from quartet.wind.basemap.pmtiles import UnreadableArchive

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient

_DAY = 86400
# A planet is built every day and kept for about a week.
_DAYS = 10
_BOX = re.compile(r"(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)", re.A)
_COUNTRY_MARGIN = 0.5
_PARTIAL = 206
_MOST_ERROR_BYTES = 65536
_SECONDS = 300


def parse_area(text: str) -> Box:
    """Parse west,south,east,north, or the two-letter code of a country."""
    if match := _BOX.fullmatch(text.replace(" ", "")):
        box = Box(*(float(part) for part in match.groups()))
        if -180 <= box.west < box.east <= 180 and -90 <= box.south < box.north <= 90:
            return box
    elif re.fullmatch("[A-Za-z]{2}", text) and (country := _country_box(text.upper())):
        return country
    raise AppError(400, "invalid_area", area=text[:80])


def _country_box(code: str) -> Box | None:
    """Return the box around the towns of a country that are in the package."""
    from quartet.wind.places.bundled import bundled_towns

    places = [(town.lon, town.lat) for town in bundled_towns() if town.country == code]
    if not places:
        return None
    lons, lats = zip(*places, strict=True)
    margin = _COUNTRY_MARGIN
    return Box(
        max(min(lons) - margin, -180),
        max(min(lats) - margin, -85),
        min(max(lons) + margin, 180),
        min(max(lats) + margin, 85),
    )


async def fetch_area(
    outbound: "OutboundClient",
    address: str,
    box: Box,
    max_zoom: int,
    target: Path,
    clock: Callable[[], float] = time.time,
) -> Extracted:
    """Extract an area from the newest planet, or from `address` itself if that is an archive."""
    url = await _newest(outbound, address.rstrip("/"), clock())

    async def read(offset: int, length: int) -> bytes:
        return await _read(outbound, url, offset, length)

    try:
        return await extract(read, box, max_zoom, target)
    except UnreadableArchive as error:
        raise AppError(502, "basemap_unavailable", address=address) from error


async def _newest(outbound: "OutboundClient", address: str, now: float) -> str:
    if address.endswith(".pmtiles"):
        return address
    for day in range(_DAYS):
        date = time.strftime("%Y%m%d", time.gmtime(now - day * _DAY))
        url = f"{address}/{date}.pmtiles"
        try:
            answer = await outbound.get(
                url, headers={"Range": "bytes=0-6"}, max_bytes=_MOST_ERROR_BYTES
            )
        except AppError as error:
            # A server that ignores the range would send the whole planet.
            if error.code != "too_large":
                raise
            continue
        if answer.status == _PARTIAL and answer.body == b"PMTiles":
            return url
    raise AppError(502, "basemap_unavailable", address=address)


async def _read(outbound: "OutboundClient", url: str, offset: int, length: int) -> bytes:
    headers = {"Range": f"bytes={offset}-{offset + length - 1}"}
    answer = await outbound.get(
        url, headers=headers, max_bytes=max(length, _MOST_ERROR_BYTES), timeout=_SECONDS
    )
    if answer.status != _PARTIAL:
        raise AppError(502, "bad_answer", address=url)
    return answer.body
