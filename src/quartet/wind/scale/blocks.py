"""Fetch and decode one block of a run and put it into the bucket. Doing it twice is harmless."""

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from quartet.kernel.errors import AppError
from quartet.wind.grid import writing
from quartet.wind.grid.layout import STEPS_PER_BLOCK, VALUES_NAME, Header
from quartet.wind.ingest import jobs
from quartet.wind.ingest.run_files import RunFiles
from quartet.wind.ingest.service import Ingest
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Model
from quartet.wind.scale.bucket import BucketRun, Gap, S3Bucket

log = logging.getLogger("quartet.wind.scale")


class BlockWork:
    """`on_publish` is called with the model of each run that this process publishes."""

    def __init__(
        self, bucket: S3Bucket, ingest: Ingest, folder: Path, on_publish: Callable[[str], None]
    ) -> None:
        self._bucket = bucket
        self._ingest = ingest
        self._folder = folder
        self._on_publish = on_publish
        self._models = {model.id: model for model in ingest.known}

    async def run(self, model: str, run: int, block: int) -> None:
        """Make a block, or complete it if its run is published without some of its steps.

        If its files are missing or bad, the leader plans it again.
        """
        bucket_run = (await self._bucket.list_runs(model)).get(run)
        if model not in self._models or bucket_run is None or not bucket_run.planned:
            return
        try:
            if not bucket_run.published:
                await self._make_missing(model, run, block, bucket_run)
            elif block in bucket_run.partial:
                await self._complete(self._models[model], run, block)
        except NotYet:
            return
        except (Refused, AppError) as error:
            log.warning("%s, run %d, block %d: %s", model, run, block, error)

    async def _make_missing(self, model: str, run: int, block: int, bucket_run: BucketRun) -> None:
        header = await self._bucket.planned(model, run)
        if block not in bucket_run.blocks:
            await self._make(self._models[model], header, block)
        await self.publish_if_whole(header)

    async def publish_if_whole(self, header: Header) -> None:
        bucket_run = (await self._bucket.list_runs(header.model)).get(header.run)
        if bucket_run is None or len(bucket_run.blocks) < header.shape[0]:
            return
        header = msgspec.structs.replace(header, partial=bool(bucket_run.partial))
        if await self._bucket.publish(header):
            log.info("%s: run %d is published", header.model, header.run)
        self._on_publish(header.model)

    async def _make(self, model: Model, header: Header, block: int) -> None:
        part = _part(header, block)
        async with self._begun(part, block) as folder:
            files = RunFiles(self._ingest.tools, model, part.run)
            missing = {*part.steps} - await files.store_steps(folder, part)
            if missing:
                await self._bucket.mark_partial(header, block, Gap(tuple(sorted(missing))))
            await self._put(header, block, part, folder)

    async def _complete(self, model: Model, run: int, block: int) -> None:
        """Add the steps to a published block that its provider has added, and only these."""
        header = await self._bucket.published(model.id, run)
        gap, part = await self._bucket.gap(header, block), _part(header, block)
        async with self._begun(part, block) as folder:
            files = RunFiles(self._ingest.tools, model, run)
            # Gusts and weather may come some minutes after the wind.
            added, hopeless = await files.store_added(
                folder, part, gap.missing, with_extras=gap.looks == 0
            )
            missing = {*gap.missing} - added
            left = Gap(tuple(sorted(missing - hopeless)), gap.looks + (not added))
            if not added:
                await self._bucket.mark_partial(header, block, left)
                return
            await self._add_present(header, block, part, folder, {*part.steps} - {*gap.missing})
            await self._put(header, block, part, folder)
        if missing:
            await self._bucket.mark_partial(header, block, left)
        else:
            await self._bucket.mark_whole(header, block)
        await self._publish_again(header)
        log.info("%s, run %d, block %d: %d steps were added", model.id, run, block, len(added))
        self._on_publish(model.id)

    async def _add_present(
        self, header: Header, block: int, part: Header, folder: Path, present: set[int]
    ) -> None:
        """Put the steps that a published block has next to those that were added."""
        before = folder / "before"
        before.mkdir()
        (before / VALUES_NAME).touch()
        await self._bucket.fetch_block(header, block, before / VALUES_NAME, 0)
        await self._ingest.tools.workers.run(jobs.split, before, part, 0, before)
        for step in present:
            (before / f"{step}.step").replace(folder / f"{step}.step")

    async def _publish_again(self, header: Header) -> None:
        """Publish the run with what it lacks now, also if another process does so as well."""
        written = int(self._ingest.tools.clock())
        while True:
            bucket_run = (await self._bucket.list_runs(header.model)).get(header.run)
            if bucket_run is None or not bucket_run.published:
                return
            partial = bool(bucket_run.partial)
            if (header.partial, header.written) == (partial, written):
                return
            header = msgspec.structs.replace(header, partial=partial, written=written)
            await self._bucket.publish_again(header)

    @asynccontextmanager
    async def _begun(self, part: Header, block: int) -> AsyncIterator[Path]:
        folder = await asyncio.to_thread(writing.begin, self._folder / str(block), part)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    async def _put(self, header: Header, block: int, part: Header, folder: Path) -> None:
        await self._ingest.tools.workers.run(jobs.assemble, folder, part, 0)
        await self._bucket.put_block(header, block, folder / VALUES_NAME)


def _part(header: Header, block: int) -> Header:
    """Return the header of a run that has the steps of one block only."""
    steps = header.steps[block * STEPS_PER_BLOCK : (block + 1) * STEPS_PER_BLOCK]
    return msgspec.structs.replace(header, steps=steps)
