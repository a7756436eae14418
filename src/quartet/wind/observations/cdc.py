"""Parsers for the zip archives of the DWD Climate Data Center."""

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime

from quartet.kernel.errors import AppError
from quartet.wind.observations.types import Measurement
from quartet.wind.observations.wind_groups import plausible

KNOTS = 3600 / 1852
_MISSING = -999.0
# Code for variable wind, used until the 1990s.
_VARIABLE = 990
_MOST_BYTES = 150_000_000
# Everything the zip decoders raise; an encrypted archive raises RuntimeError.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
)


def table_rows(body: bytes) -> Iterator[list[str]]:
    """Yield the rows of the data table, header first, with stripped fields."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            members = [each for each in archive.infolist() if each.filename.startswith("produkt_")]
            if not members or members[0].file_size > _MOST_BYTES:
                raise AppError(502, "report_unreadable")
            with archive.open(members[0]) as file:
                for line in io.TextIOWrapper(file, "latin-1"):
                    yield [field.strip() for field in line.split(";")]
    except _DAMAGED as error:
        raise AppError(502, "report_unreadable") from error


def parse_ten_minutes(mean: bytes, extremes: bytes | None) -> Iterator[Measurement]:
    """Yield mean wind with gusts, if the archive of extremes has them."""
    gusts = dict(_column(extremes, "FX_10")) if extremes else {}
    directions = dict(_column(mean, "DD_10"))
    for time, speed in _column(mean, "FF_10"):
        gust, direction = gusts.get(time), directions.get(time)
        found = plausible(
            round(speed * KNOTS, 1),
            None if gust is None else round(gust * KNOTS, 1),
            None if direction is None else round(direction),
        )
        if found:
            yield Measurement(time, found.wind, found.direction, "ten_minutes", found.gust)


def _column(body: bytes, name: str) -> Iterator[tuple[int, float]]:
    rows = table_rows(body)
    header = next(rows, [])
    if name not in header:
        raise AppError(502, "report_unreadable")
    column = header.index(name)
    for row in rows:
        try:
            time, value = minute_of(row[1]), float(row[column])
        except (ValueError, IndexError):
            continue
        if value != _MISSING:
            yield time, value


def minute_of(text: str) -> int:
    """Parse YYYYMMDDHHMM."""
    return int(datetime.strptime(text, "%Y%m%d%H%M").replace(tzinfo=UTC).timestamp())


def direction_of(text: str) -> float | None:
    """Parse a direction of the hourly table; None for missing, variable and calm."""
    value = float(text)
    return None if value in (_MISSING, _VARIABLE, 0) else value
