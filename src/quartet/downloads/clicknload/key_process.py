"""Runs untrusted JavaScript in a separate process with minimal resources.

Reports that it is ready, reads the script from its input, and writes the key if `f()` returns
one. V8 reserves more address space than a limit could allow, so V8 limits its own heap, and
RLIMIT_DATA limits the memory outside the heap.
"""

import os
import re
import resource
import sys
from pathlib import Path

from py_mini_racer import MiniRacer

HEAP_BYTES = 16 << 20
MORE_BYTES = 128 << 20
SECONDS = 1.5
CPU_SECONDS = 5


def main() -> None:
    racer = MiniRacer()
    _limit()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    script = sys.stdin.read()
    racer.set_hard_memory_limit(HEAP_BYTES)
    try:
        key = racer.eval(f"{script}\n;String(f()).slice(0, 64)", timeout_sec=SECONDS)
    # An invalid script gives no key.
    except BaseException:  # noqa: BLE001
        key = None
    if isinstance(key, str) and re.fullmatch(r"[0-9A-Fa-f]{32}", key):
        sys.stdout.write(key)
        sys.stdout.flush()
    # V8 may wait for an endless script, so exit at once; there is nothing to clean up.
    os._exit(0)


def _limit() -> None:
    used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    for limit, value in (
        (resource.RLIMIT_DATA, used + MORE_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))


if __name__ == "__main__":
    main()
