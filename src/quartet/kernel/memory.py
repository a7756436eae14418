"""What the process needs for a moment only is given back to the system."""

import ctypes
from contextlib import suppress

_M_MMAP_THRESHOLD = -3
_LARGE_BYTES = 1024 * 1024


def give_back_large_blocks() -> None:
    """glibc keeps blocks of up to 32 MiB once it has seen one freed, as hashing a password does."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
