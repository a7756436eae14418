"""Process-wide settings of the garbage collector, the thread switch interval and malloc."""

import asyncio
import ctypes
import gc
import linecache
import sys
from contextlib import suppress

# A young collection takes a few milliseconds; a full one takes a second with ten thousand open
# sockets. The last threshold is never reached, so a full collection only runs from the timer below.
YOUNG, MIDDLE, NEVER = 5_000, 2, 1_000_000
FULL_SECONDS = 600.0
# Worker threads wait at most this long for the event loop thread to release the GIL.
SWITCH_SECONDS = 0.001

# After this time the tasks that only run at start-up have released their memory.
SETTLED_SECONDS = 60.0

_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
_LARGE_BYTES = 1024 * 1024
_KEPT_BYTES = 2 * 1024 * 1024
_ARENAS = 2


async def limit_gc_pauses() -> None:
    """Limit garbage collection pauses for as long as the server runs.

    Objects that exist at start-up are frozen: they live as long as the process. They are not
    collected before, which would find less than two in a hundred and take a tenth of the start.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, NEVER)
    gc.enable()
    trim_memory()
    await asyncio.sleep(SETTLED_SECONDS)
    trim_memory()
    while True:
        await asyncio.sleep(FULL_SECONDS)
        if gc.get_count()[2]:
            gc.collect()
            trim_memory()


def return_freed_memory() -> None:
    """Make glibc return freed memory to the system.

    Without this, glibc raises its threshold for large blocks up to 32 MiB after the first one is
    freed, for example after hashing a password, and keeps later blocks. It also gives each thread
    an arena of its own, whose freed blocks no other thread uses. A fixed threshold for large blocks
    also fixes that for returning the end of an arena, at a value so small that a fast download
    would return and get again the memory of all its bytes; `trim_memory` returns the rest.
    """
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
        libc.mallopt(_M_ARENA_MAX, _ARENAS)
        libc.mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)


def trim_memory() -> None:
    """Return freed memory to the system; glibc keeps it if later blocks are still in use."""
    # The source of every module that was part of a logged error.
    linecache.clearcache()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
