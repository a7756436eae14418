from typing import Any

import msgspec

from quartet.wind.admin.background.types import Task


class Process(msgspec.Struct, frozen=True):
    """The service itself comes first, then the processes that read weather files."""

    pid: int
    name: str
    memory: int


class StartSetting(msgspec.Struct, frozen=True):
    """Decided at the start; the value of a secret is never shown, only whether there is one."""

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
