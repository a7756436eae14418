"""The state of a service, for the system page, load balancers and Prometheus."""

import shutil
import time
from contextlib import suppress
from typing import Any

import msgspec
from litestar import Response, get

from quartet import __version__
from quartet.kernel.conditions.types import Condition
from quartet.kernel.errors import AppError
from quartet.kernel.events import Event
from quartet.kernel.kernel_gauges import memory_bytes
from quartet.kernel.metrics import CONTENT_TYPE, Gauge, Metrics
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import LoopState
from quartet.kernel.web import PUBLIC, Injected


class System(Event, tag="system", frozen=True, rename="camel"):
    service: str
    version: str
    schema_version: int
    started_at: int
    uptime: int
    database: str
    loops: list[LoopState]
    streams: int
    memory: int
    disk_free: int
    disk_total: int
    # Problems that an admin should look at.
    problems: list[Condition]


def system_of(kernel: Kernel[Any]) -> System:
    disk = shutil.disk_usage(kernel.settings.data)
    return System(
        service=kernel.service,
        version=__version__,
        schema_version=kernel.schema_version,
        started_at=int(kernel.started_at),
        uptime=int(time.time() - kernel.started_at),
        database=kernel.db.kind,
        loops=kernel.supervisor.states(),
        streams=kernel.events.streams,
        memory=memory_bytes(),
        disk_free=disk.free,
        disk_total=disk.total,
        problems=kernel.conditions.current,
    )


@get("/api/system", opt={"admin": True})
async def system(kernel: Injected[Kernel[Any]]) -> System:
    """Version, uptime, background tasks, memory and disk space of this service."""
    return system_of(kernel)


class Ready(msgspec.Struct, frozen=True):
    status: str


@get("/api/ready", **PUBLIC)
async def ready(kernel: Injected[Kernel[Any]]) -> Ready:
    """For load balancers: returns 503 while the service cannot do its main task."""
    if kernel.stopping():
        raise AppError(503, "stopping")
    if kernel.definition.needs_database:
        await kernel.db.check()
    return Ready("ok")


@get("/metrics", include_in_schema=False, opt={"metrics": True, "admin": True})
async def metrics_text(
    metrics: Injected[Metrics], kernel: Injected[Kernel[Any]]
) -> Response[bytes]:
    # Imported on demand: most services are never scraped, and the library takes three megabytes.
    from quartet.kernel.prometheus import render_metrics

    stored: list[Gauge] = []
    # While the database is unavailable, the other metrics are needed most.
    with suppress(AppError):
        stored = await kernel.db.read(metrics.read_stored)
    return Response(render_metrics(metrics, stored), media_type=CONTENT_TYPE)


ROUTES = [system, ready, metrics_text]
