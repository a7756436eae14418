"""Work for the worker processes.

ecCodes and scipy are loaded only there: the service itself stays small, and a file that crashes
the decoder crashes a worker and not the service.
"""

from pathlib import Path

import msgspec

from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.grid.layout import CellGrid, Header
from quartet.wind.ingest.types import FieldSummary, StoreJob
from quartet.wind.models.types import Fetched


def find_place(fetched: Fetched, model: str, area: Area | None) -> Grid | CellGrid:
    from quartet.wind.ingest import unpacking

    return unpacking.find_place(fetched, model, area)


def build_mesh(fetched: Fetched, path: Path, cells: CellGrid, model: str) -> Grid:
    from quartet.wind.ingest import unpacking

    return unpacking.build_mesh_file(fetched, path, cells, model)


def check_coordinates(fetched: Fetched, cells: CellGrid, model: str) -> None:
    from quartet.wind.ingest import unpacking

    unpacking.read_coordinates(fetched, cells, model)


def write_land(fetched: Fetched, path: Path, place: Grid | CellGrid, model: str) -> None:
    from quartet.wind.ingest import unpacking

    unpacking.write_land_file(fetched, path, place, model)


def read_mesh_grid(path: Path) -> Grid | None:
    """Return the raster of a mesh file, or None if it is missing or damaged."""
    from quartet.wind.grid.mesh import Mesh

    try:
        return Mesh(path).grid
    except FileNotFoundError:
        return None
    except ValueError:
        path.unlink(missing_ok=True)
        return None


def store(job: StoreJob) -> tuple[int, ...]:
    from quartet.wind.ingest import members, unpacking

    return members.store(job) if job.header.is_ensemble else unpacking.store(job)


def assemble(folder: Path, header: Header, block: int) -> None:
    from quartet.wind.grid.steps import assemble_block

    assemble_block(folder, header, block)


def split(run: Path, header: Header, block: int, folder: Path) -> None:
    from quartet.wind.grid.steps import split_block

    split_block(run, header, block, folder)


def summarize(fetched: Fetched, run: int) -> FieldSummary:
    from quartet.wind.ingest import unpacking

    summary = unpacking.summarize(fetched, run)
    return msgspec.structs.replace(summary, extras=unpacking.extras_in(fetched))
