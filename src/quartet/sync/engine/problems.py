"""Translates folder problems into codes."""

import asyncio
import os
from collections.abc import Iterable, Set
from pathlib import Path

from quartet.kernel.errors import AppError, Problem
from quartet.sync.engine.ignores import MARKER
from quartet.sync.engine.rest import Rest
from quartet.sync.engine.types import EngineFolder
from quartet.sync.protocol.limits import REASON_CHARS


async def folder_problems(
    rest: Rest, folders: Iterable[EngineFolder], healthy: Set[str]
) -> dict[str, Problem]:
    """Return problems by folder id; folders in `healthy` are not queried.

    The engine does not look at a paused folder, so that its disk may be away.
    """
    folders = [each for each in folders if not each.paused]
    found = await asyncio.gather(*(_problem(rest, each, each.id in healthy) for each in folders))
    return {
        folder.id: problem
        for folder, problem in zip(folders, found, strict=True)
        if problem is not None
    }


async def _problem(rest: Rest, folder: EngineFolder, healthy: bool) -> Problem | None:
    try:
        words = "" if healthy else (await rest.summary(folder.id)).error
    except AppError as error:
        return Problem(error.code, error.inputs)
    if words:
        return problem_of_text(words, folder.path)
    return await asyncio.to_thread(_problem_on_disk, folder)


def _problem_on_disk(folder: EngineFolder) -> Problem | None:
    """Return what the engine would only notice during its next scan."""
    path = Path(folder.path)
    if not path.exists():
        return Problem("path_not_found", {"path": folder.path})
    if not (path / MARKER).exists():
        return Problem("marker_missing", {"path": folder.path})
    if folder.type != "sendonly" and not os.access(path, os.W_OK | os.X_OK):
        return Problem("not_writable", {"path": folder.path})
    return None


# Parts of the engine's messages about single files, which have no codes.
_FILE_PROBLEMS = (
    (
        Problem("file_not_permitted"),
        ("permission denied", "operation not permitted", "read-only file system"),
    ),
    (Problem("file_no_space"), ("no space left", "insufficient space")),
    (Problem("file_name_too_long"), ("file name too long", "filename too long")),
    (Problem("file_name_invalid"), ("name contains", "name ends with", "name is reserved")),
    (Problem("file_case_conflict"), ("upper or lowercase",)),
    (Problem("file_changed_here"), ("modified but not rescanned",)),
    (Problem("file_folder_not_empty"), ("contains ignored", "not empty")),
    (Problem("file_no_source"), ("went away", "no connected device", "no available source")),
)


def problem_of_file(text: str) -> Problem:
    for problem, parts in _FILE_PROBLEMS:
        if any(part in text for part in parts):
            return problem
    return Problem("file_failed", {"reason": text.strip()[:REASON_CHARS]})


def problem_of_text(text: str, path: str) -> Problem:
    """Derive a code from the message; the engine has no codes."""
    if "path missing" in text:
        return Problem("path_not_found", {"path": path})
    if "marker missing" in text:
        return Problem("marker_missing", {"path": path})
    if "ignores" in text or "ignore file" in text:
        return Problem("bad_ignore_pattern", {"reason": text[:300]})
    if "permission denied" in text or "read-only file system" in text:
        return Problem("not_writable", {"path": path})
    if "not a directory" in text:
        return Problem("path_not_folder", {"path": path})
    return Problem("engine_folder_error", {"reason": text[:300]})
