"""Admin page: versions, memory, processes, startup settings and caches."""

import os
import platform
import resource
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from quartet import __version__
from quartet.kernel.kernel_gauges import memory_bytes
from quartet.kernel.service import Kernel
from quartet.kernel.settings import settings_of
from quartet.wind.admin.background import BackgroundTasks, Task
from quartet.wind.gauges.service import Gauges
from quartet.wind.map.service import WindMap
from quartet.wind.ranking.service import Rankings
from quartet.wind.settings import WindSettings

_LIBRARIES = ("litestar", "sqlalchemy", "msgspec", "numpy", "eccodes", "uvicorn")


class Process(msgspec.Struct, frozen=True):
    """The service itself comes first, followed by the workers that decode weather files."""

    pid: int
    name: str
    memory: int


class StartSetting(msgspec.Struct, frozen=True):
    """A setting read at startup; secrets are masked."""

    name: str
    variable: str
    value: Any
    secret: bool


class AdminSystem(msgspec.Struct, frozen=True, rename="camel"):
    """`cpu_seconds` since the start, `load` of the machine over 1, 5 and 15 minutes."""

    version: str
    schema_version: int
    python: str
    platform: str
    versions: dict[str, str]
    database: str
    demo: bool
    started_at: int
    uptime: int
    memory: int
    cpu_seconds: float
    cores: int
    load: list[float]
    streams: int
    processes: list[Process]
    settings: list[StartSetting]
    tasks: list[Task]


class Cleared(msgspec.Struct, frozen=True):
    """`bytes` of textures; the other caches are small."""

    bytes: int


def list_processes() -> list[Process]:
    mine = os.getpid()
    return [Process(mine, "service", memory_bytes()), *_children(mine)]


def cpu_seconds() -> float:
    """Return the CPU time of this process and its finished children."""
    spent = [
        resource.getrusage(target) for target in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
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


class SystemAdmin:
    def __init__(
        self,
        kernel: Kernel[WindSettings],
        prefix: str,
        tasks: BackgroundTasks,
        caches: tuple[WindMap, Rankings, Gauges],
    ) -> None:
        self._kernel = kernel
        self._prefix = prefix
        self._tasks = tasks
        self._wind_map, self._rankings, self._gauges = caches

    def state(self) -> AdminSystem:
        kernel = self._kernel
        return AdminSystem(
            version=__version__,
            schema_version=kernel.schema_version,
            python=platform.python_version(),
            platform=platform.platform(terse=True),
            versions={name: version(name) for name in _LIBRARIES},
            database=kernel.db.kind,
            demo=kernel.demo,
            started_at=int(kernel.started_at),
            uptime=int(time.time() - kernel.started_at),
            memory=memory_bytes(),
            cpu_seconds=cpu_seconds(),
            cores=len(os.sched_getaffinity(0)),
            load=[round(each, 2) for each in os.getloadavg()],
            streams=kernel.events.streams,
            processes=list_processes(),
            settings=self._settings(),
            tasks=self._tasks.list(),
        )

    def clear_caches(self) -> Cleared:
        self._rankings.forget()
        self._gauges.forget()
        return Cleared(self._wind_map.forget())

    def _settings(self) -> list[StartSetting]:
        values = self._kernel.settings
        return [
            StartSetting(
                each.name,
                each.variable,
                _shown(getattr(values, each.name), secret=each.secret),
                each.secret,
            )
            for each in settings_of(WindSettings, self._prefix)
        ]


def _shown(value: object, *, secret: bool) -> object:
    if secret:
        return "***" if value else None
    if isinstance(value, bool | int | float | None):
        return value
    return [str(each) for each in value] if isinstance(value, tuple) else str(value)
