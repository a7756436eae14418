"""Finds or downloads Syncthing, runs it, applies configurations and monitors it."""

from quartet.sync.engine.download import find_or_download
from quartet.sync.engine.program import Program
from quartet.sync.engine.service import Engine
from quartet.sync.engine.types import (
    DiskChange,
    EngineCompletion,
    EngineConfig,
    EngineFolder,
    EnginePeer,
)

__all__ = [
    "DiskChange",
    "Engine",
    "EngineCompletion",
    "EngineConfig",
    "EngineFolder",
    "EnginePeer",
    "Program",
    "find_or_download",
]
