"""Limits its own resources and then executes a program: memory, file size, program, ...

A separate process, because code between fork and exec can deadlock a threaded server, and limits
set from outside after the start would come too late.
"""

import ctypes
import os
import resource
import signal
import sys

NICENESS = 10
PR_SET_PDEATHSIG = 1


def main(memory: int, file: int, program: str, arguments: list[str]) -> None:
    limits = {resource.RLIMIT_AS: memory, resource.RLIMIT_FSIZE: file, resource.RLIMIT_CORE: 0}
    for limit, wanted in limits.items():
        _, hard = resource.getrlimit(limit)
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(limit, (value, value))
    _die_with_parent()
    # Python ignores these two signals. SIGPIPE ends the program when its output is closed, SIGXFSZ
    # when a file becomes too long.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    os.nice(NICENESS)
    os.execv(program, [program, *arguments])  # noqa: S606 our own program, no shell


def _die_with_parent() -> None:
    """Kill the program if the server dies, or it would write while the next one cleans up."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
