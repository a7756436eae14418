"""Plan the next blocks; runs in the leading process only."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.wind.grid.catalogue import KEPT_RUNS
from quartet.wind.grid.layout import Header, land_path, mesh_path
from quartet.wind.ingest.completion import Looks
from quartet.wind.ingest.run_files import RunFiles
from quartet.wind.ingest.service import Ingest
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Model
from quartet.wind.scale.blocks import BlockWork
from quartet.wind.scale.bucket import BucketRun, S3Bucket

if TYPE_CHECKING:
    from redis.asyncio import Redis

# Blocks of a model in the queue at a time; more would request files that are not published yet.
_AHEAD = 8
# A block that has not been made after this time is queued again.
_QUEUED_SECONDS = 60

# A function of a block: model, run and number.
BlockFunction = Callable[[str, int, int], Awaitable[object]]


class Planner:
    """`ask` puts one block into the queue."""

    def __init__(
        self, bucket: S3Bucket, ingest: Ingest, work: BlockWork, redis: "Redis", ask: BlockFunction
    ) -> None:
        self._bucket = bucket
        self._ingest = ingest
        self._work = work
        self._redis = redis
        self._ask = ask
        # The newest published run of each model that lacks steps, and when it is completed.
        self._looks: dict[str, tuple[int, Looks]] = {}

    async def look(self, model: Model) -> None:
        stored = await self._bucket.list_runs(model.id)
        self._ingest.note_lateness(model)
        if not await self._ingest.is_fetched(model):
            for run in stored:
                await self._bucket.remove(model.id, run)
            return
        published = sorted((run for run in stored if stored[run].published), reverse=True)
        run = self._ingest.due_after(model, published[0] if published else None)
        await self._sweep(model, stored, published, run)
        if await self._ingest.postponed():
            return
        if published:
            await self._complete(model, published[0], stored[published[0]])
        if published and published[0] >= run:
            return
        state = self._ingest.state(model.id)
        state.last_try = self._ingest.tools.clock()
        try:
            header = await self._planned(model, run, stored.get(run))
        except NotYet:
            return
        except Refused as error:
            inputs = {"model": model.id, "reason": error.reason}
            state.error = Problem("weather_refused", inputs)
            return
        except AppError as error:
            state.error = problem_of(error)
            return
        state.error = None
        await self._ask_for_missing(header, stored.get(run) or BucketRun())

    async def _planned(self, model: Model, run: int, bucket_run: BucketRun | None) -> Header:
        if bucket_run is None or not bucket_run.planned:
            tools = self._ingest.tools
            files = RunFiles(tools, model, run)
            place = await files.find_place()
            folder = tools.catalogue.folder
            if place.cells is not None:
                await self._bucket.put_grid_file(mesh_path(folder, place.cells))
            land = land_path(folder, model.id, place.grid, place.cells)
            if await asyncio.to_thread(land.exists):
                await self._bucket.put_grid_file(land)
            written, steps = int(tools.clock()), await files.learn_steps()
            header = Header(
                model.id,
                run,
                steps,
                place.grid,
                written,
                channels=model.channels,
                cells=place.cells,
            )
            await self._bucket.plan(header)
        return await self._bucket.planned(model.id, run)

    async def _ask_for_missing(self, header: Header, bucket_run: BucketRun) -> None:
        missing = [block for block in range(header.shape[0]) if block not in bucket_run.blocks]
        if not missing:
            # The process that made the last block may have died before it could publish the run.
            await self._work.publish_if_whole(header)
        for block in missing[:_AHEAD]:
            await self._queue(header.model, header.run, block)

    async def _complete(self, model: Model, run: int, bucket_run: BucketRun) -> None:
        """Ask for the blocks of a published run again that lack steps, with growing pauses."""
        if not bucket_run.partial:
            return
        begun, looks = self._looks.get(model.id, (None, None))
        if looks is None or begun != run:
            looks = Looks(self._ingest.tools)
            self._looks[model.id] = run, looks
        if looks.is_due:
            looks.rest()
            for block in sorted(bucket_run.partial):
                await self._queue(model.id, run, block)

    async def _queue(self, model: str, run: int, block: int) -> None:
        """Ask for a block, unless it is in the queue."""
        key = _queued_key(model, run, block)
        if await self._redis.set(key, 1, nx=True, ex=_QUEUED_SECONDS):
            await self._ask(model, run, block)

    async def _sweep(
        self, model: Model, stored: dict[int, BucketRun], published: list[int], due: int
    ) -> None:
        """Remove runs that are too old to be served, or that were never completed."""
        kept = {*published[:KEPT_RUNS], due}
        for run in sorted(stored):
            if run not in kept and run < due:
                await self._bucket.remove(model.id, run)


def forget_when_done(redis: "Redis", work: BlockFunction) -> BlockFunction:
    """Wrap the work on a block so that the block may be queued again right after it."""

    async def work_then_forget(model: str, run: int, block: int) -> None:
        try:
            await work(model, run, block)
        finally:
            await redis.delete(_queued_key(model, run, block))

    return work_then_forget


def _queued_key(model: str, run: int, block: int) -> str:
    return f"quartet-wind-block-{model}-{run}-{block}"
