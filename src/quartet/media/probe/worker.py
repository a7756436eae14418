"""The child process: reads one path per input line and writes the result as a line of JSON.

A line that starts with `cover` asks for the picture in a track instead of its header.

Started as `python -m quartet.media.probe.worker`; ends when its input does.
"""

import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from quartet.media.probe.media_header import read_cover, read_media
from quartet.media.probe.types import Probed

MEMORY = 1 << 30


def main() -> None:
    _limit()
    # Output of libraries must not mix with the results.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin.buffer:
        *wants, name = line.decode().split()
        path = Path(os.fsdecode(bytes.fromhex(name))).absolute()
        answer = _read(path, read_cover if wants else read_media)
        answers.write(msgspec.json.encode(answer) + b"\n")


def _read(path: Path, read: Callable[[Path], Probed | bytes | None]) -> Probed | bytes | None:
    try:
        # Opening a pipe or device could block forever.
        return read(path) if path.is_file() else None
    except Exception:  # noqa: BLE001 - whatever a broken file leads to, the next may be whole
        return None


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    os.nice(5)


if __name__ == "__main__":
    main()
