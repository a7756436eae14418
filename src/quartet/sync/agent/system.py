"""The operating system and the agent's default folder on it."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from quartet.sync.protocol import System

_SYSTEMS: dict[str, System] = {"linux": "linux", "darwin": "macos", "win32": "windows"}


def this_system(name: str = sys.platform) -> System:
    return _SYSTEMS.get(name, "other")


def default_folder(system: System, home: Path, environ: Mapping[str, str] = os.environ) -> Path:
    if system == "windows":
        return Path(environ.get("LOCALAPPDATA") or home / "AppData/Local") / "quartet-agent"
    if system == "macos":
        return home / "Library/Application Support/quartet-agent"
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "quartet-agent"
