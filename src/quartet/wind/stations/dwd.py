"""Parsers for the station lists of DWD."""

import re
from collections.abc import Iterator

from quartet.wind.stations.types import Codes, KnownStation

# Number, from, to, height, latitude, longitude, then name and state, which contain spaces.
_LISTED = re.compile(
    r"(?P<dwd>\d{1,5})\s+\d{8}\s+(?P<until>\d{8})\s+(?P<height>-?\d+)\s+"
    r"(?P<lat>-?\d+\.\d+)\s+(?P<lon>-?\d+\.\d+)\s(?P<name>.{40})\s*(?P<state>\S.*?)\s*"
)
_FREE = re.compile(r"\s+Frei$")
# The older file `st.cfg` has two more columns in front, and the height of the model and the type of
# the place at the end.
_CATALOGUED = re.compile(
    r"(?:\d{5} +\d+ )?"
    r"(?P<wmo>\w{4}[\w ]) (?P<icao>[A-Z][A-Z0-9]{3}|----) (?P<name>.{20}) *(?P<lat>-?\d+\.\d\d) +"
    r"(?P<lon>-?\d+\.\d\d) +(?P<height>-?\d+)(?:(?: +-?\d+)? +[A-Z]{4})?\s*"
)
_GERMAN = re.compile(r"10\d{3}")


def parse_station_list(text: str, since: str) -> Iterator[KnownStation]:
    """Yield stations of `…_Beschreibung_Stationen.txt` with data on day `since` or later."""
    for line in text.splitlines():
        match = _LISTED.fullmatch(line.rstrip())
        if match and match["until"] >= since:
            yield KnownStation(
                match["name"].strip(),
                float(match["lat"]),
                float(match["lon"]),
                Codes(dwd=match["dwd"].zfill(5)),
                "DE",
                "Europe/Berlin",
                None,
                _FREE.sub("", match["state"]),
                float(match["height"]),
            )


def parse_mosmix_catalogue(text: str) -> Iterator[KnownStation]:
    """Yield stations of the MOSMIX catalogue, new or old, with WMO and ICAO codes worldwide."""
    for line in text.splitlines():
        if match := _CATALOGUED.fullmatch(line):
            german = _GERMAN.fullmatch(match["wmo"])
            yield KnownStation(
                match["name"].strip().title(),
                _decimal(match["lat"]),
                _decimal(match["lon"]),
                Codes(
                    icao=None if match["icao"] == "----" else match["icao"],
                    wmo=match["wmo"].strip(),
                ),
                "DE" if german else "",
                "Europe/Berlin" if german else "UTC",
                elevation=float(match["height"]),
            )


def _decimal(text: str) -> float:
    """Convert degrees.minutes: -0.27 is 27 minutes west, and 57.60 is 58 degrees."""
    degrees, minutes = text.lstrip("-").split(".")
    value = int(degrees) + int(minutes) / 60
    return round(-value if text.startswith("-") else value, 4)
