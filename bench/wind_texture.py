"""Textures of the wind map: encoding compared with Pillow, and sending compared with nginx.

The field is one of the demo weather on the grid of ICON-EU, 1377 by 657. Sending is measured as
in `wind_serving`: requests for each second of the server's own CPU time.
"""

import io
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bench.report import Result, show
from bench.wind_serving import product, requests_per_cpu_second, static_file
from quartet.wind.basemap.png import write_png
from quartet.wind.demo.fields import ForecastFields
from quartet.wind.grid import writing
from quartet.wind.grid.arrays import Int16s
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import Header
from quartet.wind.grid.steps import write_step
from quartet.wind.map.textures import pixels_of, texture_of

ENCODE_BAR = 25.0
CACHED_BAR = 0.8
RUN = 1_763_164_800
PATH = f"/api/map/icon-eu/{RUN}/0.png"
_KNOTS = 3600 / 1852


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "wind" / "grids")
        stored = Catalogue(folder / "wind" / "grids").newest("icon-eu")
        assert stored is not None
        field = stored.field(0)
        pixels, _ = pixels_of(field)
        ours = median(lambda: write_png(pixels_of(field)[0]), 15)
        peer = median(lambda: pillow(pixels), 1)
        whole = median(lambda: texture_of(stored, 0, None), 15)
        texture = write_png(pixels)
        with product(folder) as (port, pid):
            sent = requests_per_cpu_second(port, pid, asking)
        static = static_file(folder, texture, asking)
    print(f"Pillow takes {peer:.0f} ms to write the PNG; with reading we take {whole:.1f} ms")
    print(f"ours has {len(texture):,} bytes, that of Pillow {len(pillow(pixels)):,}")
    return [
        Result("a texture of ICON-EU: numbers to PNG, median", ours, ENCODE_BAR, "ms"),
        Result("a cached texture", sent, CACHED_BAR, "req/CPU-s", peer=static, more_is_better=True),
    ]


def asking(_seed: int) -> Iterator[str]:
    return repeat(PATH)


def fill(grids: Path) -> None:
    # The size of the regular ICON-EU grid, which the peers are measured with.
    grid = Grid(-23.5, 29.5, 0.0625, 0.0625, 1377, 657)
    fields = ForecastFields("icon-eu", RUN, "full", grid)
    header = Header("icon-eu", RUN, (0,), grid, RUN)
    unfinished = writing.begin(grids, header)
    write_step(unfinished, header, 0, hundredths(fields))
    writing.finish(unfinished, header)


def hundredths(fields: ForecastFields) -> Int16s:
    rows = [np.asarray(row, np.float64).reshape(-1) for row in fields.at(0)]
    return np.rint(np.stack(rows) * _KNOTS * 100).astype(np.int16)


def pillow(pixels: NDArray[np.uint8]) -> bytes:
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, "PNG")
    return written.getvalue()


def median(work: Callable[[], object], times: int) -> float:
    """Return milliseconds of this thread's CPU time, which load on the machine does not change."""
    spent = []
    for _ in range(times):
        begun = time.thread_time()
        work()
        spent.append(time.thread_time() - begun)
    return statistics.median(spent) * 1000


if __name__ == "__main__":
    show(run())
