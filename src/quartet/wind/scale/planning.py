"""Which blocks are wanted next; for the one process that leads."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError, problem_of
from quartet.wind.grid.catalogue import KEPT_RUNS
from quartet.wind.grid.layout import Header, mesh_path
from quartet.wind.ingest.arrival import Arrival
from quartet.wind.ingest.service import Ingest
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Model
from quartet.wind.scale.blocks import BlockWork
from quartet.wind.scale.bucket import Bucket, Shelf

if TYPE_CHECKING:
    from redis.asyncio import Redis

# So many blocks of a model wait at a time: upstream is not asked for all that is not there yet.
_AHEAD = 8
# After so long a block that nobody has brought is asked for again.
_ASKED_SECONDS = 60

# Something about one block: model, run and its number.
WithBlock = Callable[[str, int, int], Awaitable[object]]


class Planner:
    """`ask` puts one block into the queue."""

    def __init__(
        self, bucket: Bucket, ingest: Ingest, work: BlockWork, redis: "Redis", ask: WithBlock
    ) -> None:
        self._bucket = bucket
        self._ingest = ingest
        self._work = work
        self._redis = redis
        self._ask = ask

    async def look(self, model: Model) -> None:
        shelves = await self._bucket.shelves(model.id)
        published = sorted((run for run in shelves if shelves[run].published), reverse=True)
        run = self._ingest.due_after(model, published[0] if published else None)
        await self._sweep(model, shelves, published, run)
        if (published and published[0] >= run) or await self._ingest.postponed():
            return
        state = self._ingest.state(model.id)
        state.last_try = self._ingest.tools.clock()
        try:
            header = await self._planned(model, run, shelves.get(run))
        except (NotYet, Refused):
            return
        except AppError as error:
            state.error = problem_of(error)
            return
        state.error = None
        await self._ask_for_missing(header, shelves.get(run) or Shelf())

    async def _planned(self, model: Model, run: int, shelf: Shelf | None) -> Header:
        if shelf is None or not shelf.planned:
            tools = self._ingest.tools
            arrival = Arrival(tools, model, run, self._ingest.state(model.id))
            place = await arrival.find_place()
            if place.cells is not None:
                await self._bucket.put_mesh(mesh_path(tools.catalogue.folder, place.cells))
            written, steps = int(tools.clock()), model.steps_of(run)
            header = Header(model.id, run, steps, place.grid, written, cells=place.cells)
            await self._bucket.plan(header)
        return await self._bucket.planned(model.id, run)

    async def _ask_for_missing(self, header: Header, shelf: Shelf) -> None:
        missing = [block for block in range(header.shape[0]) if block not in shelf.blocks]
        if not missing:
            # Whoever brought the last one has died before it could publish.
            await self._work.publish_if_whole(header)
        for block in missing[:_AHEAD]:
            key = _asked_key(header.model, header.run, block)
            if await self._redis.set(key, 1, nx=True, ex=_ASKED_SECONDS):
                await self._ask(header.model, header.run, block)

    async def _sweep(
        self, model: Model, shelves: dict[int, Shelf], published: list[int], due: int
    ) -> None:
        """Runs too old to be served, and those that never became whole."""
        kept = {*published[:KEPT_RUNS], due}
        for run in sorted(shelves):
            if run not in kept and run < due:
                await self._bucket.remove(model.id, run)


def given_back(redis: "Redis", work: WithBlock) -> WithBlock:
    """The same work, after which its block may be asked for again at once."""

    async def work_and_forget(model: str, run: int, block: int) -> None:
        try:
            await work(model, run, block)
        finally:
            await redis.delete(_asked_key(model, run, block))

    return work_and_forget


def _asked_key(model: str, run: int, block: int) -> str:
    return f"quartet-wind-block-{model}-{run}-{block}"
