"""Process-wide settings of the garbage collector, the thread switch interval and malloc."""

import asyncio
import ctypes
import gc
import sys
from contextlib import suppress

# A young collection takes a few milliseconds; a full one takes a second with ten thousand open
# sockets. The last threshold is never reached, so a full collection only runs from the timer below.
YOUNG, MIDDLE, NEVER = 5_000, 10, 1_000_000
FULL_SECONDS = 600.0
# Worker threads wait at most this long for the event loop thread to release the GIL.
SWITCH_SECONDS = 0.001

_M_MMAP_THRESHOLD = -3
_LARGE_BYTES = 1024 * 1024


async def limit_gc_pauses() -> None:
    """Limit garbage collection pauses for as long as the server runs.

    Objects that exist at start-up are frozen: they live as long as the process.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, NEVER)
    while True:
        await asyncio.sleep(FULL_SECONDS)
        if gc.get_count()[2]:
            gc.collect()


def return_freed_memory() -> None:
    """Make glibc return freed blocks of 1 MiB and more to the system.

    Without this, glibc raises its threshold up to 32 MiB after the first large block is freed, for
    example after hashing a password, and keeps later blocks.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def trim_memory() -> None:
    """Return freed memory to the system; glibc keeps it if later blocks are still in use."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
