"""Prepare a process that forks services, for tests that start and kill one many times."""

import gc
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from quartet.kernel.service import Service
from quartet.kernel.startup import start
from tests.databases import put_empty_database
from tests.reused_engines import reuse_engines
from tests.shared_application import share_applications

# Modules that a server imports only while it starts.
LATE = (
    "anyio._backends._asyncio",
    "encodings.idna",
    "quartet.serve",
    "uvicorn.lifespan.on",
    "uvicorn.loops.uvloop",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
)


# Modules of the sync agent, some of which it imports only when it needs them.
AGENT = (
    "aiohttp",
    "quartet.kernel.log",
    "quartet.sync.agent.commands",
    "quartet.sync.agent.joining",
    "quartet.sync.agent.runner",
)


def preload_agent() -> None:
    for name in AGENT:
        import_module(name)


def preload_service(service: Service[Any], *modules: str) -> None:
    """Import everything the service needs and build its application once."""
    share_applications()
    reuse_engines()
    for name in (*LATE, *modules):
        import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        put_empty_database(Path(folder), service.history)
        started = start(service, service.settings(data=Path(folder)))
        started.kernel.db.close()
    gc.collect()
    gc.freeze()
