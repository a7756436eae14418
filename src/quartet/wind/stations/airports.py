"""Airports with an ICAO code, as stations."""

from collections.abc import Iterator

from quartet.wind.stations.types import Codes, KnownStation

_FOOT = 0.3048


def version() -> str:
    import airportsdata

    return str(airportsdata.__version__)


def airports() -> Iterator[KnownStation]:
    """Yield airports with four-letter codes; codes with digits have no weather observations."""
    # Imported here: 28,000 rows that are only needed at the first start.
    import airportsdata

    for code, row in sorted(airportsdata.load("ICAO").items()):
        if len(code) == 4 and code.isascii() and code.isalpha():
            yield KnownStation(
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
