"""One ICON-EU run from packed files to being served, beside merely unpacking the same files.

What counts is CPU time of all processes together, which a busy machine does not change much; on
a quiet one both cores are busy all the time, and it is twice the time on the wall.
"""

import asyncio
import bz2
import multiprocessing
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

from bench.api import cpu_seconds
from bench.report import Result, show
from quartet.wind.demo import jobs as demo_jobs
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.ingest.readers import FolderReader
from quartet.wind.ingest.service import Ingest
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.icon.models import ICON_EU

RATIO_BAR = 1.6
MEGABYTES_BAR = 1500.0
CORES = 2
CLAIM = "ICON-EU run from bz2 to served, beside bunzip2"


class Spent(NamedTuple):
    """Seconds, of this process and its children."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> Self:
        return cls(time.perf_counter(), sum(cpu_seconds(int(each.name)) for each in family()))

    def since(self) -> "Spent":
        now = Spent.now()
        return Spent(now.wall - self.wall, now.cpu - self.cpu)


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begun = ICON_EU.run_at_or_before(time.time() - 86400) // 21600 * 21600
        asyncio.run(publish(folder / "mirror", begun))
        files = [path for path in (folder / "mirror").rglob("*.bz2") if path.is_file()]
        packed = sum(path.stat().st_size for path in files) / 1e6
        floor = asyncio.run(unpack(files))
        with watched() as peak:
            ours = asyncio.run(ingest(folder, begun))
    print(f"{len(files)} files of {packed:.0f} MB: unpacked in {floor.wall:.1f} s, served in")
    print(f"{ours.wall:.1f} s, on the wall and with whatever else this machine does")
    return [
        Result(CLAIM, ours.cpu, RATIO_BAR, "CPU-s", floor.cpu),
        Result("memory while a run is taken in, all processes", max(peak), MEGABYTES_BAR, "MB"),
    ]


async def publish(mirror: Path, run: int) -> None:
    """Real size: 1377 x 657 points, three variables, 93 steps."""
    workers = Workers(CORES)
    steps = ICON_EU.steps_of(run)
    await asyncio.gather(
        *(
            workers.run(demo_jobs.write_steps, ICON_EU.id, run, (step,), mirror, "full")
            for step in steps
        )
    )
    send_home(workers)


async def unpack(files: list[Path]) -> Spent:
    """The floor: nobody can store what is not unpacked. By workers that are there already."""
    workers = Workers(CORES)
    await asyncio.gather(*(workers.run(unpack_one, path) for path in files[:CORES]))
    begun = Spent.now()
    await asyncio.gather(*(workers.run(unpack_one, path) for path in files))
    spent = begun.since()
    send_home(workers)
    return spent


def unpack_one(path: Path) -> int:
    return len(bz2.decompress(path.read_bytes()))


async def ingest(folder: Path, run: int) -> Spent:
    workers = Workers(CORES)
    catalogue = Catalogue(folder / "grids")
    readers = {ICON_EU.provider: FolderReader(folder / "mirror" / ICON_EU.provider)}
    fetching = Ingest(catalogue, readers, [ICON_EU], workers, clock=lambda: run + 20000.0)
    begun = Spent.now()
    stored = await fetching.ingest_run(ICON_EU, run)
    spent = begun.since()
    assert stored.sample(54.3, 10.1) is not None
    send_home(workers)
    return spent


def send_home(workers: Workers) -> None:
    """Until they are gone, so that their time is not counted for the next."""
    workers.close()
    while multiprocessing.active_children():
        time.sleep(0.05)


@contextmanager
def watched() -> Iterator[list[float]]:
    """Megabytes of this process and its children, shared pages counted once."""
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
