"""The live stream route: events for browsers."""

from typing import Any

from litestar import get

from quartet.kernel import events as kernel_events
from quartet.kernel.events.stream import EventStream
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask, every
from quartet.kernel.system import system_of
from quartet.kernel.web import Injected, Request

PUSH_SECONDS = 2.0


@get("/api/events")
async def events(request: Request, kernel: Injected[Kernel[Any]]) -> EventStream:
    """Server-Sent Events. The first event is `system`; `resync` means: reload everything."""
    return kernel_events.sse(kernel.events, request, first=lambda: system_of(kernel))


def system_task(kernel: Kernel[Any]) -> BackgroundTask:
    async def push() -> None:
        if kernel.events.streams:
            kernel.events.publish(system_of(kernel))

    return every(PUSH_SECONDS, push, name="system", everywhere=True)
