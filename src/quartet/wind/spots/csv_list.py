"""Lists of spots as CSV, as spreadsheets and other sites export them."""

import csv
import io
from collections.abc import Iterator, Mapping

from quartet.kernel.errors import AppError
from quartet.wind.spots.types import NewFavorite

LARGEST_LIST = 256 << 10
# Names of columns, lower case.
_NAMES = ("name", "spot", "spotname", "spot name", "title")
_LATITUDES = ("lat", "latitude", "breite", "breitengrad")
_LONGITUDES = ("lon", "lng", "long", "longitude", "länge", "laenge", "längengrad")


def spots_of_csv(content: bytes) -> list[NewFavorite]:
    """Return the spots of a list whose first line names the columns."""
    if len(content) > LARGEST_LIST:
        raise AppError(413, "too_large", limit=LARGEST_LIST)
    return list(_spots(content.decode("utf-8-sig", "replace")))


def _spots(text: str) -> Iterator[NewFavorite]:
    head = text.partition("\n")[0]
    delimiter = max(";\t,", key=head.count)
    rows = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    columns = {(each or "").strip().lower(): each for each in rows.fieldnames or ()}
    found = [_column(columns, names) for names in (_NAMES, _LATITUDES, _LONGITUDES)]
    try:
        for row in rows:
            name, lat, lon = ((row[each] or "").strip() for each in found)
            if name:
                yield NewFavorite(name, _degrees(lat), _degrees(lon))
    except (ValueError, csv.Error):
        raise AppError(422, "spots_file_line", line=rows.line_num) from None


def _column(columns: Mapping[str, str], names: tuple[str, ...]) -> str:
    for name in names:
        if name in columns:
            return columns[name]
    raise AppError(422, "spots_file_columns")


def _degrees(text: str) -> float:
    """Return a number, which may have a decimal comma."""
    return float(text.replace(",", "."))
