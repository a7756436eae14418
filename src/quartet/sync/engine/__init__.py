"""The Syncthing program: found or downloaded, started, set to a configuration, watched."""

from quartet.sync.engine.download import provide
from quartet.sync.engine.program import Program
from quartet.sync.engine.service import Engine
from quartet.sync.engine.types import (
    Change,
    Completion,
    EngineConfig,
    EngineFolder,
    EnginePeer,
)

__all__ = [
    "Change",
    "Completion",
    "Engine",
    "EngineConfig",
    "EngineFolder",
    "EnginePeer",
    "Program",
    "provide",
]
