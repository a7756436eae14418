"""Wind: up to 1,000 forecasts requested at the same time."""

import asyncio
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bench.api import cpu_seconds
from bench.growth_curves import CONSTANT, LINEARITHMIC, Curve, Curves
from bench.start import resident_megabytes
from bench.sync_fleet_agents import raise_limit
from bench.wind_read import points
from bench.wind_runs import fill
from bench.wind_serving import ask, product

SECONDS = 8.0


def curves(sizes: Iterable[int]) -> list[Curve]:
    found = Curves("requests in flight")
    raise_limit()
    with tempfile.TemporaryDirectory() as name:
        fill(Path(name) / "wind" / "grids")
        with product(Path(name)) as (port, pid):
            for size in sizes:
                before = cpu_seconds(pid)
                count = asyncio.run(load(port, size))
                spent = (cpu_seconds(pid) - before) / count
                found.add("one forecast", size, 1000 * spent, "CPU-ms", CONSTANT)
                megabytes = resident_megabytes(pid)
                found.add("memory of wind", size, megabytes, "MB", LINEARITHMIC)
    return found.all()


async def load(port: int, connections: int) -> int:
    deadline = asyncio.get_running_loop().time() + SECONDS
    lines = (ask(port, deadline, points(seed), "") for seed in range(connections))
    return sum(await asyncio.gather(*lines))
