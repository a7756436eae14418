import asyncio
from collections.abc import Awaitable, Callable

from quartet.kernel.events.hub import EventHub
from quartet.kernel.supervisor import BackgroundTask


def reload_task(
    topic: str, events: EventHub, reload: Callable[[], Awaitable[None]]
) -> BackgroundTask:
    """Return a task that calls `reload` after signals of this topic, and again if it failed."""
    changed = asyncio.Event()
    events.on(topic, lambda _about: changed.set())

    async def run() -> None:
        while True:
            await changed.wait()
            changed.clear()
            try:
                await reload()
            except BaseException:
                # The supervisor starts the task again, which must not wait for the next signal.
                changed.set()
                raise

    return BackgroundTask(topic, run, restart_on_return=True, everywhere=True)
