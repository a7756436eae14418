"""Ignore patterns: read from the folder itself, written through the engine, which checks them."""

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
    """Returns the folders whose patterns could not be set."""
    problems: dict[str, Problem] = {}
    for folder in await asyncio.to_thread(_differing, list(folders), new):
        try:
            answer = await rest.set_ignores(folder.id, folder.ignore_patterns)
        except AppError as error:
            problems[folder.id] = Problem(error.code, error.inputs)
            continue
        if answer.error:
            # It keeps them all the same; the folder stands still until they are mended.
            problems[folder.id] = Problem("bad_ignore_pattern", {"reason": answer.error[:300]})
    return problems


def _differing(folders: list[EngineFolder], new: frozenset[str]) -> list[EngineFolder]:
    """Writing patterns makes the folder if it is gone, which may be a disk that is not mounted."""
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
