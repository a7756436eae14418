"""Reads ignore patterns from the folder and sets them through the engine, which validates them."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from quartet.kernel.errors import AppError, Problem
from quartet.sync.engine.rest import Rest
from quartet.sync.engine.types import EngineFolder

FILE = ".stignore"
MARKER = ".stfolder"


async def set_ignores(
    rest: Rest, folders: Iterable[EngineFolder], new: frozenset[str]
) -> dict[str, Problem]:
    """Set changed patterns; return the folders whose patterns could not be set."""
    problems: dict[str, Problem] = {}
    for folder in await asyncio.to_thread(_differing, list(folders), new):
        try:
            answer = await rest.set_ignores(folder.id, folder.ignore_patterns)
        except AppError as error:
            problems[folder.id] = Problem(error.code, error.inputs)
            continue
        if answer.error:
            # The engine stores them anyway, and the folder stops until they are fixed.
            problems[folder.id] = Problem("bad_ignore_pattern", {"reason": answer.error[:300]})
    return problems


def _differing(folders: list[EngineFolder], new: frozenset[str]) -> list[EngineFolder]:
    """Return folders with changed patterns; skip missing ones, since setting patterns would create
    an unmounted folder.
    """
    return [
        folder
        for folder in folders
        if (folder.id in new or (Path(folder.path) / MARKER).exists())
        and _patterns(Path(folder.path)) != folder.ignore_patterns
    ]


def _patterns(folder: Path) -> list[str]:
    try:
        return (folder / FILE).read_text(errors="replace").splitlines()
    except OSError:
        return []
