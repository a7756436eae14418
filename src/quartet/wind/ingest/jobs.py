"""What the worker processes do.

ecCodes and scipy are loaded there only, so the service itself stays small, and a file that breaks
the decoder breaks a worker and not the service.
"""

from pathlib import Path

from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.ingest.types import StoreJob
from quartet.wind.models.types import Fetched


def find_grid(fetched: Fetched, area: Area | None) -> Grid:
    from quartet.wind.ingest import unpacking

    return unpacking.find_grid(fetched, area)


def grid_of_table(fetched: Fetched, table: Path) -> Grid | None:
    from quartet.wind.ingest import unpacking

    return unpacking.grid_of_table(fetched, table)


def make_table(cells: Fetched, table: Path) -> Grid:
    from quartet.wind.ingest import unpacking

    return unpacking.make_table(cells, table)


def store(job: StoreJob) -> None:
    from quartet.wind.ingest import unpacking

    unpacking.store(job)
