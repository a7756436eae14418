"""What learning for 5,000 stations costs per day, through the database."""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sqlalchemy import insert

from bench.report import Result
from bench.wind_best_weather import MODELS
from quartet.kernel.batches import in_batches
from quartet.kernel.db import Database, migrate, open_database
from quartet.wind.app import SERVICE
from quartet.wind.blend.service import Blends
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.observations.tables import measurements
from quartet.wind.places.service import Places
from quartet.wind.ranking.hours import LEADS
from quartet.wind.ranking.tables import kept_forecasts
from quartet.wind.stations.service import Stations

STATIONS = 5000
SECONDS_BAR = 60.0
MEMORY_BAR = 300.0
_HOUR = 3600
_DAY = 24 * _HOUR
# A time at which two runs a day have been stored for four days.
_NOW = 1_794_700_800 // _DAY * _DAY
_LESSONS = 4
_STATUS = Path("/proc/self/status")


def run() -> list[Result]:
    """Run in a new process, whose memory nothing else has used."""
    child = subprocess.run(
        [sys.executable, "-m", "bench.wind_best_cost"], check=True, stdout=subprocess.PIPE
    )
    figures = json.loads(child.stdout)
    return [
        Result(
            f"learning of a day, {STATIONS:,} stations", figures["seconds"], SECONDS_BAR, "CPU-s"
        ),
        Result("memory it takes meanwhile", figures["growth"], MEMORY_BAR, "MB"),
        Result("stored for each station", figures["bytes"] / 1000, 5.0, "kB"),
    ]


async def measure() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        db = open_database(folder, "wind")
        migrate(db, SERVICE.history)
        await fill(db)
        stations = Stations(db, Places(folder), folder, time.time)
        clock = [float(_NOW)]
        models = [f"model-{number}" for number in range(MODELS)]
        blends = Blends(db, stations, Catalogue(folder / "grids"), models, lambda: clock[0])
        before = peak_mb()
        # The first lesson creates the rows.
        await blends.learn()
        begun = time.process_time()
        for _ in range(_LESSONS):
            clock[0] += _DAY / _LESSONS
            await blends.learn()
        seconds, growth = time.process_time() - begun, peak_mb() - before
        with db.engine.connect() as conn:
            size = conn.exec_driver_sql("SELECT avg(length(numbers)) FROM blend_states").scalar()
        db.close()
        return {"seconds": seconds, "growth": growth, "bytes": float(size or 0)}


async def fill(db: Database) -> None:
    random = np.random.default_rng(3)
    for station in range(STATIONS):
        runs = range(_NOW - 3 * _DAY, _NOW + _DAY, _DAY // 2)
        rows = [
            {
                "station": station,
                "model": f"model-{model}",
                "run": run,
                "hours": random.integers(30, 250, 2 * LEADS).astype("<i2").tobytes(),
            }
            for run in runs
            for model in range(MODELS)
        ]
        wind = [
            {
                "station": station,
                "time": hour,
                "source": "metar",
                "wind": float(speed),
                "variable": False,
            }
            for hour, speed in zip(
                range(_NOW - 6 * _HOUR, _NOW + _DAY, _HOUR), random.uniform(3, 25, 30), strict=True
            )
        ]
        with db.engine.begin() as conn:
            for some in in_batches(rows):
                conn.execute(insert(kept_forecasts), list(some))
            conn.execute(insert(measurements), wind)


def peak_mb() -> float:
    # Unlike the figure of `getrusage`, it does not include the process that started this one.
    (line,) = (each for each in _STATUS.read_text().splitlines() if each.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure())))
