"""Runs somebody's JavaScript, apart from the server and with next to nothing to use.

Reads the script from its input when it has said that it is ready, and writes the key if `f()`
gives one. V8 reserves more addresses than any limit on them would allow, so its heap is limited by
V8 itself, and what lies outside of the heap by the memory this process may still add.
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
    # Whatever is wrong with the script, there is no key.
    except BaseException:  # noqa: BLE001
        key = None
    if isinstance(key, str) and re.fullmatch(r"[0-9A-Fa-f]{32}", key):
        sys.stdout.write(key)
        sys.stdout.flush()
    # V8 may wait for a script that does not end; nothing here needs to be tidied up.
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
