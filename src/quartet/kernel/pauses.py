"""Keeps the pauses of one process short, also when it holds thousands of sockets."""

import asyncio
import gc
import sys

# A look at the youngest objects costs a few milliseconds; at all of them, with ten thousand
# sockets, a second. So the latter never happens by itself in the middle of a storm.
YOUNG, MIDDLE, NEVER = 5_000, 10, 1_000_000
FULL_SECONDS = 600.0
# A thread that answers somebody shall not wait long for the event loop to let it go on.
SWITCH_SECONDS = 0.001


async def keep_short() -> None:
    """Runs as long as the server does. What is loaded at the start stays, so nobody looks at it."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, NEVER)
    while True:
        await asyncio.sleep(FULL_SECONDS)
        if gc.get_count()[2]:
            gc.collect()
