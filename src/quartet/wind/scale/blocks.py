"""Fetch and decode one block of a run and put it into the bucket. Doing it twice is harmless."""

import asyncio
import logging
import shutil
from collections.abc import Callable
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
from quartet.wind.scale.bucket import S3Bucket

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
        """Make a block; if its files are missing or bad, the leader plans it again."""
        bucket_run = (await self._bucket.list_runs(model)).get(run)
        if (
            model not in self._models
            or bucket_run is None
            or not bucket_run.planned
            or bucket_run.published
        ):
            return
        header = await self._bucket.planned(model, run)
        if block not in bucket_run.blocks:
            try:
                await self._make(self._models[model], header, block)
            except NotYet:
                return
            except (Refused, AppError) as error:
                log.warning("%s, run %d, block %d: %s", model, run, block, error)
                return
        await self.publish_if_whole(header)

    async def publish_if_whole(self, header: Header) -> None:
        bucket_run = (await self._bucket.list_runs(header.model)).get(header.run)
        if bucket_run is None or len(bucket_run.blocks) < header.shape[0]:
            return
        header = msgspec.structs.replace(header, partial=bucket_run.partial)
        if await self._bucket.publish(header):
            log.info("%s: run %d is published", header.model, header.run)
        self._on_publish(header.model)

    async def _make(self, model: Model, header: Header, block: int) -> None:
        steps = header.steps[block * STEPS_PER_BLOCK : (block + 1) * STEPS_PER_BLOCK]
        part = msgspec.structs.replace(header, steps=steps)
        folder = await asyncio.to_thread(writing.begin, self._folder / str(block), part)
        try:
            await self._store(model, part, folder)
            await self._bucket.put_block(header, block, folder / VALUES_NAME)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    async def _store(self, model: Model, part: Header, folder: Path) -> None:
        files = RunFiles(self._ingest.tools, model, part.run)
        if not await files.store_steps(folder, part):
            await self._bucket.mark_partial(part)
        await self._ingest.tools.workers.run(jobs.assemble, folder, part, 0)
