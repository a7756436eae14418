"""Takes rights away from itself and then becomes the program: memory, file size, program, ...

A process of its own, because code between fork and exec can lock up a threaded server, and limits
set from outside after the start come too late for a program this quick.
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
    _end_with_the_server()
    # Python ignores these two. The first ends the program when nobody hears it any more, the second
    # when a file grows too long.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    os.nice(NICENESS)
    os.execv(program, [program, *arguments])  # noqa: S606 a program of ours, and no shell


def _end_with_the_server() -> None:
    """Or it would go on writing into a folder that the next server clears away."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
