"""Evaluate 50,000 alerts after a full-size run of ICON-EU, in a process with one core."""

import asyncio
import json
import os
import random
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import insert

from bench.report import Result, show
from quartet.kernel.db import Database, Tx, migrate, open_database
from quartet.wind.accounts.tables import users
from quartet.wind.alerts.evaluation import Evaluation
from quartet.wind.alerts.tables import alarms
from quartet.wind.app import SERVICE
from quartet.wind.demo.fields import ForecastFields
from quartet.wind.grid import writing
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import SCALE, Header
from quartet.wind.grid.steps import write_step
from quartet.wind.models.icon.models import ICON_EU
from quartet.wind.spots.tables import spots

ALARMS = 50_000
SPOTS_EACH = 10
SECONDS_BAR = 10.0
# Includes pages of the run's file that were only read.
GROWTH_BAR = 150.0
KNOTS = 1 / 0.514444
ZONES = ("Europe/Berlin", "Europe/London", "Europe/Lisbon", "Europe/Athens", "Europe/Helsinki")


def run() -> list[Result]:
    """Run in a new process: memory that was allocated earlier would hide the growth."""
    core = sorted(os.sched_getaffinity(0))[0]
    child = subprocess.run(
        [sys.executable, "-m", "bench.wind_alarms", "child"],
        check=True,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: os.sched_setaffinity(0, [core]),
    )
    figures = json.loads(child.stdout)
    for name in ("first", "later"):
        announced = figures[f"{name}_announced"]
        rate = ALARMS / figures[name]
        spent = f"{figures[name]:.2f} CPU-s, {rate:,.0f} alarms/s"
        print(f"{name} run: {spent}, {announced:,} windows announced")
    return [
        Result(f"{ALARMS:,} alarms, nothing known yet", figures["first"], SECONDS_BAR, "CPU-s"),
        Result(f"{ALARMS:,} alarms after the next run", figures["later"], SECONDS_BAR, "CPU-s"),
        Result("memory it takes meanwhile", figures["growth"], GROWTH_BAR, "MB"),
    ]


async def child() -> dict[str, float]:
    now = time.time()
    newest = ICON_EU.run_at_or_before(now - ICON_EU.delay) // 21600 * 21600
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        db = open_database(folder, "wind")
        migrate(db, SERVICE.history)
        await fill(db)
        catalogue = Catalogue(folder / "grids")
        evaluation = Evaluation(db, catalogue, lambda: now)
        figures: dict[str, float] = {}
        for which, time_of_run in (("first", newest - 21600), ("later", newest)):
            catalogue.add(publish(folder / "grids", time_of_run))
            before = memory_mb()
            begun = time.process_time()
            figures[f"{which}_announced"] = await evaluation.evaluate_new()
            # CPU time of this process, which load on the machine does not change.
            figures[which] = time.process_time() - begun
            figures["growth"] = max(figures.get("growth", 0.0), memory_mb(peak=True) - before)
        db.close()
        return figures


def publish(folder: Path, run: int) -> Path:
    """Make the demo weather on the real grid."""
    grid = Grid(-23.5, 29.5, 0.0625, 0.0625, 1377, 657)
    fields = ForecastFields(ICON_EU.id, run, "full", grid)
    header = Header(ICON_EU.id, run, ICON_EU.steps_of(run), grid, run)
    unfinished = writing.begin(folder, header)
    for step in header.steps:
        told = np.stack(fields.at(step)).reshape(3, -1) * (KNOTS / SCALE)
        write_step(unfinished, header, step, np.rint(told).astype(np.int16))
    done = writing.finish(unfinished, header)
    # The peak so far comes from making the weather.
    Path("/proc/self/clear_refs").write_text("5")
    return done


async def fill(db: Database, size: int = ALARMS) -> None:
    chance = random.Random(7)
    people = [person(number) for number in range(1, size // SPOTS_EACH + 1)]
    places = [place(chance, number) for number in range(1, size + 1)]
    wishes = [wish(chance, number) for number in range(1, size + 1)]

    def work(tx: Tx) -> None:
        for table, rows in ((users, people), (spots, places), (alarms, wishes)):
            tx.conn.execute(insert(table), rows)

    await db.write(work)


def person(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "handle": secrets.token_bytes(64),
        "name": "rider",
        "email_confirmed": False,
        "role": "user",
        "disabled": False,
        "language": "en",
        "created_at": 0,
    }


def place(chance: random.Random, number: int) -> dict[str, Any]:
    start = chance.randrange(360)
    return {
        "id": number,
        "user_id": (number - 1) // SPOTS_EACH + 1,
        "name": "spot",
        "lat": round(chance.uniform(30, 70), 2),
        "lon": round(chance.uniform(-23, 62), 2),
        "directions": [{"from": start, "to": (start + 150) % 360}] if number % 3 else [],
        "position": number,
        "timezone": chance.choice(ZONES),
        "created_at": 0,
    }


def wish(chance: random.Random, number: int) -> dict[str, Any]:
    lowest = chance.choice((10, 12, 14, 16, 18))
    return {
        "spot": number,
        "enabled": True,
        "wind_min": lowest,
        "wind_max": lowest + 15,
        "gust_max": lowest + 22,
        "hour_from": chance.choice((6, 8, 10)),
        "hour_to": chance.choice((18, 20, 22)),
        "weekdays": 127 if number % 2 else 0b1110000,
        "lead_hours": chance.choice((24, 48, 72, 96)),
        "min_hours": chance.choice((2, 3, 4)),
        "push": True,
        "email": False,
        "chosen": ICON_EU.id,
        "revision": 1,
        "seen_revision": 0,
    }


def memory_mb(*, peak: bool = False) -> float:
    name = "VmHWM:" if peak else "VmRSS:"
    return next(kilobytes(line) for line in status() if line.startswith(name)) / 1024


def status() -> Iterator[str]:
    return iter(Path("/proc/self/status").read_text().splitlines())


def kilobytes(line: str) -> int:
    return int(line.split()[1])


if __name__ == "__main__":
    if "child" in sys.argv:
        print(json.dumps(asyncio.run(child())))
    else:
        show(run())
