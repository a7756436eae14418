"""Stations and towns, which a service takes out of its lists at the first start: here made once."""

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


def put_world(data: Path) -> None:
    """The files that lie beside a database elsewhere, in a data folder that is new."""
    for name, content in _world().items():
        path = data / "places" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@cache
def _world() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        put_empty_database(data, SERVICE.history)
        kernel = open_kernel(SERVICE, SERVICE.settings(data=data))
        places = Places(data / "places")
        stations = Stations(kernel.db, places, data / "places", time.time)

        async def load() -> None:
            await stations.load()
            await places.refresh()

        # Whoever asks may be in a loop already.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, load()).result()
        kernel.db.close()
        return {path.name: path.read_bytes() for path in (data / "places").iterdir()}
