"""The packages of the demo."""

from quartet.downloads.demo.files import (
    ASKED_ARCHIVE,
    KNOWN_PASSWORD,
    NOTE,
    OPEN_ARCHIVE,
    PAPERS,
    RECORDINGS,
    SLOW,
    SUMS,
)
from quartet.downloads.links.types import NewLinks

_HOST = "https://samples.example"
_LONG = list(SLOW)
# One package after the other is downloaded; the survey map waits in the link grabber.
LONG_PACKAGES = {
    "Harbour timelapse": _LONG[:3],
    "Regatta": _LONG[4:6],
    "Dune survey": _LONG[6:],
}


def demo_links() -> list[NewLinks]:
    """Return the packages in the order they are started; long downloads come last."""
    return [
        _package("Field recordings", *RECORDINGS, SUMS),
        _package("Logbook scans", OPEN_ARCHIVE, passwords=[KNOWN_PASSWORD]),
        _package("Cabin plans", NOTE, ASKED_ARCHIVE),
        _package("Withdrawn by its owner", "weather-buoy-data.csv"),
        _package("Harbour chart", PAPERS[2], room="ask"),
        long_package(0),
        _package("Timetables", *PAPERS[:2], "timetable-1998.pdf", start=False),
        _package("Survey map", _LONG[3], start=False),
    ]


def long_package(number: int) -> NewLinks:
    name, files = list(LONG_PACKAGES.items())[number % len(LONG_PACKAGES)]
    return _package(name, *files)


def _package(
    name: str,
    *files: str,
    room: str = "get",
    passwords: list[str] | None = None,
    start: bool = True,
) -> NewLinks:
    links = "\n".join(f"{_HOST}/{room}/{file}" for file in files)
    return NewLinks(links=links, package_name=name, passwords=passwords, start=start, source="demo")
