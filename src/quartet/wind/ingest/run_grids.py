"""The grid of a run with its mesh and its land mask, which are fetched once for each grid."""

import asyncio
import logging
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.wind.grid import writing
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import CellGrid, land_path, mesh_path
from quartet.wind.ingest import jobs
from quartet.wind.ingest.batch_reader import BatchReader
from quartet.wind.ingest.tools import Tools
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Model, Reader

log = logging.getLogger("quartet.wind.ingest")


class RunGrid(NamedTuple):
    """The grid of a run; `cells` if it is unstructured."""

    grid: Grid
    cells: CellGrid | None = None


class RunGrids:
    def __init__(self, tools: Tools, model: Model, run: int) -> None:
        self._tools = tools
        self._model = model
        self._run = run
        self._models = tools.catalogue.folder

    async def begun(self) -> RunGrid | None:
        """Return the grid of a run that an earlier process has begun, without any request."""
        header = await asyncio.to_thread(writing.begun, self._models, self._model.id, self._run)
        if header is None or header.channels != self._model.channels:
            return None
        if header.cells is not None:
            path = mesh_path(self._models, header.cells)
            if await self._tools.workers.run(jobs.read_mesh_grid, path) != header.grid:
                return None
        return RunGrid(header.grid, header.cells)

    async def complete(self, place: Grid | CellGrid, reader: Reader) -> RunGrid:
        """Build the mesh of unstructured cells and fetch the land mask, unless they are stored.

        `reader` has what the first step was read from, such as an index.
        """
        # Two models may have the same grid.
        async with self._tools.mesh_lock:
            if isinstance(place, Grid):
                found = RunGrid(place)
            else:
                found = RunGrid(await self._mesh_grid(place), place)
            await self._find_land(found, reader)
        return found

    async def _mesh_grid(self, cells: CellGrid) -> Grid:
        path = mesh_path(self._models, cells)
        grid = await self._tools.workers.run(jobs.read_mesh_grid, path)
        if grid is None:
            log.info("%s: building the mesh of grid %s", self._model.id, cells.key)
            # It remembers which files are bad: they are transferred again once they have changed.
            reader = BatchReader(self._tools.readers[self._model.provider])
            files = await self._model.upstream.fetch_cells(reader, self._run)
            build = self._tools.workers.run
            try:
                grid = await build(jobs.build_mesh, files, path, cells, self._model.id)
            except Refused:
                for piece in files.pieces:
                    reader.reject_piece(piece)
                raise
        return grid

    async def _find_land(self, place: RunGrid, reader: Reader) -> None:
        """Fetch the land mask; a run is served without it as well."""
        path = land_path(self._models, self._model.id, place.grid, place.cells)
        if self._model.has_waves or await asyncio.to_thread(path.exists):
            return
        try:
            fetched = await self._model.upstream.fetch_land(reader, self._run)
            if fetched is not None:
                points = place.cells or place.grid
                await self._tools.workers.run(
                    jobs.write_land, fetched, path, points, self._model.id
                )
                log.info("%s: land and sea of run %d stored", self._model.id, self._run)
        except (NotYet, Refused, AppError) as error:
            log.info("%s: run %d has no land mask: %r", self._model.id, self._run, error)
