"""Wind: up to 100,000 alerts, each with its own spot, evaluated after a run of ICON-EU.

`wind_alarms` measures the memory of an evaluation, in a process of its own.
"""

import asyncio
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from bench.growth_curves import LINEARITHMIC, Curve, Curves
from bench.wind_alarms import fill, publish
from quartet.kernel.db import migrate, open_database
from quartet.wind.alerts.evaluation import Evaluation
from quartet.wind.app import SERVICE
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.models.icon.models import ICON_EU


def curves(sizes: Iterable[int]) -> list[Curve]:
    found = Curves("alerts")
    now = time.time()
    run = ICON_EU.run_at_or_before(now - ICON_EU.delay) // 21600 * 21600
    with tempfile.TemporaryDirectory() as name:
        weather = publish(Path(name) / "grids", run)
        for size in sizes:
            folder = Path(name) / str(size)
            folder.mkdir()
            asyncio.run(measure(found, size, folder, weather, now))
    return found.all()


async def measure(found: Curves, size: int, folder: Path, weather: Path, now: float) -> None:
    db = open_database(folder, "wind")
    migrate(db, SERVICE.history)
    await fill(db, size)
    catalogue = Catalogue(folder / "grids")
    catalogue.add(weather)
    begun = time.process_time()
    await Evaluation(db, catalogue, lambda: now).evaluate_new()
    spent = time.process_time() - begun
    found.add("evaluation of all alerts", size, 1000 * spent, "CPU-ms", LINEARITHMIC)
    db.close()
