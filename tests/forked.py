"""For services that are killed often: they start fast, forked from a process that is prepared."""

import gc
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from quartet.kernel.service import Service
from quartet.kernel.startup import start
from tests.databases import put_empty_database
from tests.signatures import keep_signatures

# What a server loads while it starts.
LATE = (
    "anyio._backends._asyncio",
    "encodings.idna",
    "quartet.serve",
    "uvicorn.lifespan.on",
    "uvicorn.loops.uvloop",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
)


def prepare_to_fork(service: Service[Any], *modules: str) -> None:
    """Everything is imported, and an application was built once."""
    for name in (*LATE, *modules):
        import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        put_empty_database(Path(folder), service.history)
        started = start(service, service.settings(data=Path(folder)))
        keep_signatures(started)
        started.kernel.db.close()
    gc.collect()
    gc.freeze()
