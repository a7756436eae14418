"""Copy published runs from the bucket to the local folder."""

import asyncio
import logging
import re
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from obstore.exceptions import BaseError, NotFoundError

from quartet.kernel.errors import AppError
from quartet.wind.grid import writing
from quartet.wind.grid.catalogue import KEPT_RUNS, Catalogue
from quartet.wind.grid.layout import VALUES_NAME, Header, land_path, mesh_path
from quartet.wind.scale.bucket import S3Bucket

log = logging.getLogger("quartet.wind.scale")

_AT_ONCE = 4
_AGAIN_SECONDS = 1.0
_A_RUN = re.compile(r"[0-9]{1,12}")


class Mirror:
    """Keeps the newest run of each model, and older ones while there is room."""

    def __init__(
        self,
        bucket: S3Bucket,
        catalogue: Catalogue,
        models: tuple[str, ...],
        most_bytes: int,
        added: Callable[[str], None],
    ) -> None:
        self._bucket = bucket
        self._catalogue = catalogue
        self._models = models
        self._most_bytes = most_bytes
        self._taking = {model: asyncio.Lock() for model in models}
        self._looked: dict[str, float] = {}
        # Called with the model of each run that is served from now on.
        self._added = added

    async def look(self) -> None:
        for model in self._models:
            try:
                async with self._taking[model]:
                    await self._follow(model)
            except (AppError, NotFoundError) as error:
                # The run was removed in between, or there is no room; the served runs stay.
                log.warning("%s is not mirrored: %s", model, error)

    async def catch_up(self, model: str, run: str) -> bool:
        """Fetch a newer run at once, for a page that another process has delivered."""
        newest = self._catalogue.newest(model)
        if model not in self._models or not _A_RUN.fullmatch(run):
            return False
        if newest is not None and newest.run >= int(run):
            return False
        async with self._taking[model]:
            if self._catalogue.run(model, int(run)) is None:
                await self._look_again(model)
        return self._catalogue.run(model, int(run)) is not None

    async def _look_again(self, model: str) -> None:
        # Addresses can be invented, so the bucket is not asked for each of them.
        if time.monotonic() - self._looked.get(model, 0) > _AGAIN_SECONDS:
            self._looked[model] = time.monotonic()
            with suppress(AppError, BaseError):
                await self._follow(model)

    async def _follow(self, model: str) -> None:
        stored = await self._bucket.list_runs(model)
        runs = sorted((run for run in stored if stored[run].published), reverse=True)
        for number, run in enumerate(runs[:KEPT_RUNS]):
            held = self._catalogue.run(model, run)
            if held is not None and not held.header.partial:
                continue
            header = await self._bucket.published(model, run)
            # A partial run is published again when steps were added.
            is_new = held is None or held.header != header
            if is_new and (number == 0 or self._has_room(header)):
                await self._take(header)

    def _has_room(self, header: Header) -> bool:
        held = [run.header.size for runs in self._catalogue.models.values() for run in runs]
        return sum(held) + header.size <= self._most_bytes

    async def _take(self, header: Header) -> None:
        await asyncio.to_thread(self._make_room, header)
        await self._take_grid_files(header)
        folder = await asyncio.to_thread(
            partial(writing.begin, self._catalogue.folder, header, allocate=True)
        )
        free = asyncio.Semaphore(_AT_ONCE)

        async def fetch(block: int) -> None:
            async with free:
                await self._bucket.fetch_block(header, block, folder / VALUES_NAME, block)

        try:
            await asyncio.gather(*map(fetch, range(header.shape[0])))
            finished = await asyncio.to_thread(writing.finish, folder, header)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        await asyncio.to_thread(self._catalogue.add, finished)
        self._added(header.model)

    async def _take_grid_files(self, header: Header) -> None:
        """Fetch the mesh and the land mask of a grid, once; not every model has a mask."""
        folder = self._catalogue.folder
        if header.cells is not None:
            mesh = mesh_path(folder, header.cells)
            if not await asyncio.to_thread(mesh.exists):
                await self._bucket.fetch_grid_file(mesh)
        land = land_path(folder, header.model, header.grid, header.cells)
        if not header.has_waves and not await asyncio.to_thread(land.exists):
            # obstore raises Python's own error where it knows one.
            with suppress(NotFoundError, FileNotFoundError):
                await self._bucket.fetch_grid_file(land)

    def _make_room(self, header: Header) -> None:
        """Delete the oldest runs that have a newer run of their model."""
        spare = [run for runs in self._catalogue.models.values() for run in runs[1:]]
        for run in sorted(spare, key=lambda each: each.run):
            if self._has_room(header):
                return
            self._catalogue.remove(run.model, run.run)
