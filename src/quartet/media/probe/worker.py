"""The child process: reads one path per input line and writes the result as a line of JSON.

Started as `python -m quartet.media.probe.worker`; ends when its input does.
"""

import os
import resource
import sys
from pathlib import Path

import msgspec

from quartet.media.probe.media_header import read_media
from quartet.media.probe.types import Probed

MEMORY = 1 << 30


def main() -> None:
    _limit()
    # Output of libraries must not mix with the results.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin.buffer:
        path = Path(os.fsdecode(bytes.fromhex(line.decode().strip()))).absolute()
        answers.write(msgspec.json.encode(_probed(path)) + b"\n")


def _probed(path: Path) -> Probed | None:
    try:
        # Opening a pipe or device could block forever.
        return read_media(path) if path.is_file() else None
    except Exception:  # noqa: BLE001 - whatever a broken file leads to, the next may be whole
        return None


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    os.nice(5)


if __name__ == "__main__":
    main()
