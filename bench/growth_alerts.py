"""Wind: up to 100,000 spots of all users, each with an alert, evaluated after a run of ICON-EU.

`wind_alarms` measures the memory of an evaluation, in a separate process.
"""

import asyncio
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from bench.growth_curves import CONSTANT, LINEARITHMIC, Curve, Curves
from bench.wind_alarms import fill, publish
from quartet.kernel.db import Database, migrate, open_database
from quartet.wind.alerts import store as alerts_store
from quartet.wind.alerts.evaluation import Evaluation
from quartet.wind.app import SERVICE
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.models.icon.models import ICON_EU
from quartet.wind.spots import store as spots_store

READS = 300


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
    await read_own(found, size, db)
    catalogue = Catalogue(folder / "grids")
    catalogue.add(weather)
    begun = time.process_time()
    await Evaluation(db, catalogue, lambda: now).evaluate_new()
    spent = time.process_time() - begun
    found.add("evaluation of all alerts", size, 1000 * spent, "CPU-ms", LINEARITHMIC)
    db.close()


async def read_own(found: Curves, size: int, db: Database) -> None:
    """Read the ten spots and alerts of one user, as their pages do."""
    reads = {"spots of one user": spots_store.of_user, "alerts of one user": alerts_store.of_user}
    for task, read in reads.items():
        await db.read(read, 1)
        begun = time.process_time()
        for _ in range(READS):
            await db.read(read, 1)
        spent = time.process_time() - begun
        found.add(task, size, 1000 * spent / READS, "CPU-ms", CONSTANT)
