"""This process and its children, as Linux tells them."""

import os
import resource
from pathlib import Path

from quartet.kernel.system import memory_bytes
from quartet.wind.admin.system.types import Process


def processes() -> list[Process]:
    mine = os.getpid()
    return [Process(mine, "service", memory_bytes()), *_children(mine)]


def cpu_seconds() -> float:
    """Of this process and of children that have ended."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return round(sum(each.ru_utime + each.ru_stime for each in spent), 2)


def _children(parent: int) -> list[Process]:
    found = []
    for listed in Path(f"/proc/{parent}/task").glob("*/children"):
        try:
            pids = listed.read_text().split()
        except OSError:
            continue
        found += [process for pid in pids if (process := _process(pid)) is not None]
    return found


def _process(pid: str) -> Process | None:
    folder = Path("/proc") / pid
    try:
        name = (folder / "comm").read_text().strip()
        pages = int((folder / "statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return None
    return Process(int(pid), name, pages * resource.getpagesize())
