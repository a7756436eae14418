import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def stoppable(work: Callable[[], T], stop: threading.Event) -> T:
    """Runs in a thread; whoever is cancelled first lets the thread end in good order."""
    task = asyncio.create_task(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.gather(task, return_exceptions=True)
        raise
