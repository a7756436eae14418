"""Airports as stations: those whose code could stand in a METAR."""

from collections.abc import Iterator

from quartet.wind.stations.types import Codes, Known

_FOOT = 0.3048


def version() -> str:
    import airportsdata

    return str(airportsdata.__version__)


def airports() -> Iterator[Known]:
    """Codes of four letters: those with digits belong to air strips without an observer."""
    # Loaded for a moment at first start only: 28,000 rows.
    import airportsdata

    for code, row in sorted(airportsdata.load("ICAO").items()):
        if len(code) == 4 and code.isascii() and code.isalpha():
            yield Known(
                row["name"],
                round(row["lat"], 4),
                round(row["lon"], 4),
                Codes(icao=code),
                row["country"],
                row["tz"] or "UTC",
                row["city"] or None,
                row["subd"] or None,
                float(round(row["elevation"] * _FOOT)),
            )
