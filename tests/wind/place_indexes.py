"""Indexes of stations and towns, which are slow to build, built once for all tests."""

import asyncio
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from quartet.kernel.startup import open_kernel
from quartet.wind.app import SERVICE
from quartet.wind.places.service import Places
from quartet.wind.stations.service import Stations
from tests.databases import put_empty_database


def put_place_indexes(data: Path) -> None:
    """Copy the indexes into a new data folder."""
    for name, content in _indexes().items():
        path = data / "places" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@cache
def _indexes() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        put_empty_database(data, SERVICE.history)
        kernel = open_kernel(SERVICE, SERVICE.settings(data=data))
        places = Places(data / "places")
        stations = Stations(kernel.db, places, data / "places", time.time)

        async def load() -> None:
            await stations.load()
            await places.refresh()

        # The caller may already be in an event loop.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, load()).result()
        kernel.db.close()
        return {path.name: path.read_bytes() for path in (data / "places").iterdir()}
