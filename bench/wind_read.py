"""Read all fields of every model at a place over HTTP, compared with reading alone and nginx."""

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.report import Result, show
from bench.wind_runs import fill
from bench.wind_serving import once, product, requests_per_cpu_second, static_file
from quartet.wind.forecasts.series import series_at
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.places.bundled import bundled_spots

NEW_PLACES_BAR = 2000.0
SPOTS_BAR = 3000.0
READ_BAR = 1000.0
COMPRESSED_BAR = 8000.0
PLACES = 2000
# As browsers ask.
ENCODINGS = "Accept-Encoding: gzip, deflate, br, zstd\r\n"
# The area that every model covers: south, north, west and east.
AREA = (46, 55, 0, 15)


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "wind" / "grids")
        bare = bare_read(folder / "wind" / "grids")
        with product(folder) as (port, pid):
            answer = asyncio.run(once(port, next(points(1))))
            compressed = len(asyncio.run(once(port, next(points(1)), ENCODINGS)))
            new = requests_per_cpu_second(port, pid, points)
            known = requests_per_cpu_second(port, pid, spots, ENCODINGS)
        # Sending alone is the least that any server needs.
        limit = static_file(folder, answer, points) or None
    print(f"an answer has {len(answer):,} bytes; nginx sends such a file {limit or 0:,.0f} times")
    rates = [
        Result(claim, rate, bar, "req/CPU-s", more_is_better=True, best_possible=limit)
        for claim, rate, bar in (
            ("/point, every place new", new, NEW_PLACES_BAR),
            ("/point, places people know", known, SPOTS_BAR),
        )
    ]
    return [
        *rates,
        Result("/point: reading and interpolating, median", bare, READ_BAR, "us"),
        Result("/point with all models, compressed", compressed, COMPRESSED_BAR, "bytes"),
    ]


def points(seed: int) -> Iterator[str]:
    return (f"/api/point?lat={lat}&lon={lon}" for lat, lon in places(seed))


def spots(seed: int) -> Iterator[str]:
    """Yield spots as people ask for them: the tenth most popular one a tenth as often."""
    south, north, west, east = AREA
    known = [
        (spot.lat, spot.lon)
        for spot in bundled_spots()
        if south <= spot.lat <= north and west <= spot.lon <= east
    ]
    random.Random(0).shuffle(known)
    chance, weights = random.Random(seed), [1 / rank for rank in range(1, len(known) + 1)]
    while True:
        (place,) = chance.choices(known, weights)
        yield "/api/point?lat={}&lon={}".format(*place)


def places(seed: int) -> Iterator[tuple[float, float]]:
    """Yield places that every model covers."""
    south, north, west, east = AREA
    chance = random.Random(seed)
    while True:
        yield round(chance.uniform(south, north), 2), round(chance.uniform(west, east), 2)


def bare_read(grids: Path) -> float:
    """Return the microseconds for all models of one place, without HTTP and JSON."""
    catalogue = Catalogue(grids)
    forecasts = list(catalogue.forecasts.values())
    spent = []
    for (lat, lon), _ in zip(places(1), range(PLACES), strict=False):
        begun = time.perf_counter()
        assert series_at(lat, lon, forecasts) is not None
        spent.append(time.perf_counter() - begun)
    return statistics.median(spent) * 1e6


if __name__ == "__main__":
    show(run())
