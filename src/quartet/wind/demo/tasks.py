import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from quartet.kernel.supervisor import BackgroundTask, every
from quartet.wind.demo import jobs
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.types import Model
from quartet.wind.settings import DemoSize

LOOK_SECONDS = 60.0
# Older files have been read long ago.
_KEEP_SECONDS = 12 * 3600


class DemoWeather:
    """Publishes the runs of the models that are fetched, at the times of the real providers."""

    def __init__(
        self,
        folder: Path,
        catalogue: Catalogue,
        models: tuple[Model, ...],
        workers: Workers,
        size: DemoSize,
        clock: Callable[[], float],
        is_fetched: Callable[[Model], Awaitable[bool]],
    ) -> None:
        self._folder = folder
        self._size: DemoSize = size
        self._clock = clock
        self._is_fetched = is_fetched
        self._catalogue = catalogue
        self._models = models
        self._workers = workers
        self._published: dict[str, int] = {}

    def loop(self) -> BackgroundTask:
        return every(LOOK_SECONDS, self._publish_due, name="demo weather")

    async def publish(self, model: Model, run: int) -> None:
        left = iter(model.upstream.batches(run, model.steps_of(run)))
        async with asyncio.TaskGroup() as group:
            # Few at a time, because reading the runs needs the same workers.
            for _ in range(self._workers.count):
                group.create_task(self._write(model, run, left))

    async def _write(self, model: Model, run: int, left: Iterator[tuple[int, ...]]) -> None:
        for steps in left:
            await self._workers.run(
                jobs.write_steps, model.id, run, steps, self._folder, self._size
            )

    async def _publish_due(self) -> None:
        for model in self._models:
            if not await self._is_fetched(model):
                continue
            run = model.run_at_or_before(self._clock() - model.delay - model.span)
            newest = self._catalogue.newest(model.id)
            if self._published.get(model.id) != run and (newest is None or newest.run < run):
                await self.publish(model, run)
            self._published[model.id] = run
        await asyncio.to_thread(self._sweep)

    def _sweep(self) -> None:
        for path in self._folder.rglob("*"):
            if path.is_file() and time.time() - path.stat().st_mtime > _KEEP_SECONDS:
                path.unlink(missing_ok=True)
