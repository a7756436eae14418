import asyncio
from collections.abc import Awaitable, Callable

from quartet.kernel.events import EventHub
from quartet.kernel.supervisor import BackgroundTask


def change_loop(
    name: str, hub: EventHub, act: Callable[[], Awaitable[None]], seconds: float
) -> BackgroundTask:
    """Call `act` at the start and after changes; those within the given time are taken together."""

    async def run() -> None:
        while True:
            # Subscribe before acting, so that no change is missed in between.
            async with hub.subscribe() as frames:
                await act()
                async for frame in frames:
                    if frame.type == "changed":
                        break
            await asyncio.sleep(seconds)

    return BackgroundTask(name, run)
