"""The machine room: versions, memory, processes, settings of the start, and caches."""

import os
import platform
import time
from importlib.metadata import version

from quartet import __version__
from quartet.kernel.service import Kernel
from quartet.kernel.settings import settings_of
from quartet.kernel.system import memory_bytes
from quartet.wind.admin.background.service import Tasks
from quartet.wind.admin.system.processes import cpu_seconds, processes
from quartet.wind.admin.system.types import AdminSystem, Cleared, StartSetting
from quartet.wind.gauges.service import Gauges
from quartet.wind.map.service import WindMap
from quartet.wind.ranking.service import Rankings
from quartet.wind.settings import WindSettings

_LIBRARIES = ("litestar", "sqlalchemy", "msgspec", "numpy", "eccodes", "uvicorn")


class MachineRoom:
    def __init__(
        self,
        kernel: Kernel[WindSettings],
        prefix: str,
        tasks: Tasks,
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
            processes=processes(),
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
