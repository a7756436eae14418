"""The complete runs of all models, in memory; the folders on disk are authoritative."""

import logging
import shutil
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from quartet.wind.grid.layout import land_path, mesh_path, read_header
from quartet.wind.grid.writing import UNFINISHED, may_resume
from quartet.wind.places.water_spots import INCLUDED, WaterSpots

if TYPE_CHECKING:
    from quartet.wind.grid.forecast import Forecast
    from quartet.wind.grid.mesh import Mesh
    from quartet.wind.grid.reading import StoredRun

log = logging.getLogger("quartet.wind.grid")

# The previous run stays for open pages that still show its hours.
KEPT_RUNS = 2
# Longer than a run takes to arrive.
_MESH_KEEP_SECONDS = 2 * 86400

# Fetch a run by its address, as text; return whether it is there now.
CatchUp = Callable[[str, str], Awaitable[bool]]


async def no_catch_up(_model: str, _run: str) -> bool:
    """Used where no other process adds runs."""
    return False


class Catalogue:
    """Every change replaces the mappings, so readers see either the old runs or the new ones.

    At `water_spots` the runs are read from points at sea.
    """

    def __init__(self, folder: Path, water_spots: WaterSpots = INCLUDED) -> None:
        self.folder = folder
        self.water_spots = water_spots
        # Runs of several models are added at the same time, each in a thread.
        self._lock = threading.Lock()
        self._runs: dict[str, tuple[StoredRun, ...]] = {}
        self.newest_runs: Mapping[str, StoredRun] = {}
        self.forecasts: Mapping[str, Forecast] = {}
        # How many times the runs have changed.
        self.changes = 0
        self._load()

    @property
    def models(self) -> "Mapping[str, tuple[StoredRun, ...]]":
        return self._runs

    def runs(self, model: str) -> "tuple[StoredRun, ...]":
        """Return the runs of a model, newest first."""
        return self._runs.get(model, ())

    def newest(self, model: str) -> "StoredRun | None":
        return self.newest_runs.get(model)

    def forecast(self, model: str) -> "Forecast | None":
        return self.forecasts.get(model)

    @property
    def wave_forecasts(self) -> "list[Forecast]":
        """The forecasts of waves, ECMWF first."""
        waves = (each for each in self.forecasts.values() if each.has_waves)
        return sorted(waves, key=lambda each: each.model)

    def run(self, model: str, run: int) -> "StoredRun | None":
        return next((each for each in self.runs(model) if each.run == run), None)

    def add(self, folder: Path) -> "StoredRun":
        """Serve a finished run and delete those that are no longer needed."""
        # Imported here: a service without any run need not load numpy.
        from quartet.wind.grid.forecast import join_runs
        from quartet.wind.grid.reading import StoredRun

        with self._lock:
            added = StoredRun(folder, self._open_mesh(folder), self.water_spots)
            others = [each for each in self.runs(added.model) if each.run != added.run]
            runs = sorted([added, *others], key=lambda each: each.run, reverse=True)
            used = [part.run for part in join_runs(runs).parts]
            kept = [each for each in runs if each in runs[:KEPT_RUNS] or each in used]
            self._set(added.model, tuple(kept))
        for old in runs:
            if old not in kept:
                shutil.rmtree(old.folder, ignore_errors=True)
        return added

    def remove(self, model: str, run: int) -> bool:
        """Delete a run, if it exists; readers that hold it can finish."""
        with self._lock:
            found = self.run(model, run)
            if found is None:
                return False
            self._set(model, tuple(each for each in self.runs(model) if each is not found))
        shutil.rmtree(found.folder, ignore_errors=True)
        return True

    def _set(self, model: str, runs: "tuple[StoredRun, ...]") -> None:
        from quartet.wind.grid.forecast import join_runs

        self._runs = {**self._runs, model: runs}
        self.newest_runs = {each: runs[0] for each, runs in self._runs.items() if runs}
        forecasts = {**self.forecasts, model: join_runs(runs)} if runs else dict(self.forecasts)
        self.forecasts = {each: forecasts[each] for each in self.newest_runs}
        self.changes += 1

    def _open_mesh(self, folder: Path) -> "Mesh | None":
        """Share a mesh that another run has open."""
        cells = read_header(folder).cells
        if cells is None:
            return None
        path = mesh_path(self.folder, cells)
        runs = (run for each in self._runs.values() for run in each)
        return next((run.mesh for run in runs if run.mesh and run.mesh.path == path), None)

    def _delete_unused_grid_files(self) -> None:
        """Delete meshes and land masks of grids that no run has."""
        runs = [run for each in self._runs.values() for run in each]
        used = {run.mesh.path for run in runs if run.mesh}
        for run in runs:
            header = run.header
            used.add(land_path(self.folder, header.model, header.grid, header.cells))
        for path in (*self.folder.glob("*.mesh"), *self.folder.glob("*.land")):
            # A new file is not used before its first run is complete.
            if path not in used and time.time() - path.stat().st_mtime > _MESH_KEEP_SECONDS:
                path.unlink(missing_ok=True)

    def _load(self) -> None:
        for folder in sorted(self.folder.glob("*/*/")):
            if folder.name.startswith(UNFINISHED):
                if not may_resume(folder):
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            try:
                self.add(folder)
            except (OSError, ValueError) as error:
                # Not deleted: it may belong to a newer release.
                log.warning("cannot read the run in %s: %s", folder, error)
        self._delete_unused_grid_files()
