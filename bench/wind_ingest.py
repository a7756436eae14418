"""Fetch and store one ICON-EU run on its 768,608 cells, compared with merely decoding its files.

A run of ICON on its 2,949,120 cells is stored for its memory only, which does not depend on the
number of steps: it has a sixth of them.

The CPU time of all processes is compared, because load on the machine hardly changes it. On an idle
machine both cores are busy all the time, so it is twice the elapsed time.
"""

import asyncio
import multiprocessing
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Self

from bench.api import cpu_seconds
from bench.report import Result, show
from quartet.wind.demo import jobs as demo_jobs
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.ingest.readers import FolderReader
from quartet.wind.ingest.run_files import RunFiles
from quartet.wind.ingest.service import Ingest
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.icon.models import ICON, ICON_EU
from quartet.wind.models.icon.upstream import IconUpstream
from quartet.wind.models.types import Model

RATIO_BAR = 1.5
MEGABYTES_BAR = 1500.0
GLOBAL_MEGABYTES_BAR = 3000.0
CORES = 2
PARAMETERS = (*IconUpstream("").wind, *IconUpstream("").extras)
CLAIM = "ICON-EU run on 768,608 cells from files to served, against ecCodes"


class Spent(NamedTuple):
    """Seconds of this process and its children."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> Self:
        return cls(time.perf_counter(), sum(cpu_seconds(int(each.name)) for each in family()))

    def since(self) -> "Spent":
        now = Spent.now()
        return Spent(now.wall - self.wall, now.cpu - self.cpu)


def run() -> list[Result]:
    return [*europe(), world()]


def europe() -> list[Result]:
    with published(ICON_EU) as (folder, begun, files):
        size = sum(path.stat().st_size for path in files) / 1e6
        mesh = asyncio.run(build_mesh(folder, ICON_EU, begun))
        floor = asyncio.run(decode(files))
        with watched() as peak:
            ours = asyncio.run(ingest(folder, ICON_EU, begun, files[:CORES]))
    print(f"{len(files)} files of {size:.0f} MB: decoded in {floor.wall:.1f} s, served in")
    print(f"{ours.wall:.1f} s of elapsed time; the mesh was built once in {mesh.cpu:.1f} CPU-s")
    return [
        Result(CLAIM, ours.cpu, RATIO_BAR, "CPU-s", floor.cpu),
        Result("memory while a run is stored, all processes", max(peak), MEGABYTES_BAR, "MB"),
    ]


def world() -> Result:
    """Measure the memory for a first run of ICON, which includes building its mesh."""
    model = replace(ICON, steps=lambda hour: ICON.steps(hour)[::6])
    with published(model) as (folder, begun, files), watched() as peak:
        asyncio.run(ingest(folder, model, begun, files[:CORES]))
    name = "memory while a run on 2,949,120 cells is stored, all processes"
    return Result(name, max(peak), GLOBAL_MEGABYTES_BAR, "MB")


@contextmanager
def published(model: Model) -> Iterator[tuple[Path, int, list[Path]]]:
    """Publish a run; yield the folder, its time and the files that are read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begun = model.run_at_or_before(time.time() - 86400) // 21600 * 21600
        asyncio.run(publish(folder / "mirror", model, begun))
        found = [folder.glob(f"mirror/**/p/{each}/**/*.grib2") for each in PARAMETERS]
        yield folder, begun, [path for paths in found for path in paths]


async def publish(mirror: Path, model: Model, run: int) -> None:
    """Make a run of the real size: all cells and parameters."""
    workers = Workers(CORES)
    await asyncio.gather(
        *(
            workers.run(demo_jobs.write_steps, model.id, run, (step,), mirror, "full")
            for step in model.steps_of(run)
        )
    )
    end_workers(workers)


async def decode(files: list[Path]) -> Spent:
    """Measure the least that any program has to do, with workers that are already running."""
    workers = Workers(CORES)
    await asyncio.gather(*(workers.run(decode_one, path) for path in files[:CORES]))
    begun = Spent.now()
    await asyncio.gather(*(workers.run(decode_one, path) for path in files))
    spent = begun.since()
    end_workers(workers)
    return spent


def decode_one(path: Path) -> int:
    import eccodes  # type: ignore[import-untyped]
    import numpy as np

    handle = eccodes.codes_new_from_message(path.read_bytes())
    values = eccodes.codes_get_array(handle, "values", ktype=np.float32)
    eccodes.codes_release(handle)
    return len(values)


async def build_mesh(folder: Path, model: Model, run: int) -> Spent:
    """Build the mesh of the grid, which is done once for all runs."""
    workers = Workers(1)
    begun = Spent.now()
    fetching = ingest_from(folder, model, run, workers)
    await RunFiles(fetching.tools, model, run).find_place()
    spent = begun.since()
    end_workers(workers)
    return spent


def ingest_from(folder: Path, model: Model, run: int, workers: Workers) -> Ingest:
    catalogue = Catalogue(folder / "grids")
    readers = {model.provider: FolderReader(folder / "mirror" / model.provider)}
    return Ingest(catalogue, readers, [model], workers, clock=lambda: run + 20000.0)


async def ingest(folder: Path, model: Model, run: int, files: list[Path]) -> Spent:
    workers = Workers(CORES)
    fetching = ingest_from(folder, model, run, workers)
    # The workers run already, as those of the floor do.
    await asyncio.gather(*(workers.run(decode_one, file) for file in files))
    begun = Spent.now()
    stored = await fetching.ingest_run(model, run)
    spent = begun.since()
    assert stored.sample(54.3, 10.1) is not None
    end_workers(workers)
    return spent


def end_workers(workers: Workers) -> None:
    """End the workers and wait for it, so that their time is not counted for the next ones."""
    workers.close()
    while multiprocessing.active_children():
        time.sleep(0.05)


@contextmanager
def watched() -> Iterator[list[float]]:
    """Record the megabytes of this process and its children; shared pages count once."""
    seen, over = [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            seen.append(sum(map(megabytes_of, family())))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()


def family() -> list[Path]:
    own = Path("/proc/self").resolve()
    children = (own / "task" / own.name / "children").read_text().split()
    return [own, *(Path("/proc") / child for child in children)]


def megabytes_of(process: Path) -> float:
    try:
        lines = (process / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(float(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000


if __name__ == "__main__":
    show(run())
