"""Sets ignore patterns through the engine, which validates them, and keeps those of the user."""

import asyncio
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from quartet.kernel.errors import AppError, Problem
from quartet.sync.engine.rest import Rest
from quartet.sync.engine.types import EngineFolder

FILE = ".stignore"
MARKER = ".stfolder"
RECORD = "ignores.json"
# Far more than the server takes.
_TOLD_BYTES = 1024 * 1024


class WrittenPatterns:
    """The patterns that we wrote to each folder; all others in its file are the user's own.

    Folders that were used with Syncthing before have such patterns. They are kept: without them,
    files that the user excluded would be sent.
    """

    def __init__(self, home: Path) -> None:
        self._file = home / RECORD
        try:
            self._written = msgspec.json.decode(self._file.read_bytes(), type=dict[str, list[str]])
        except (OSError, msgspec.DecodeError):
            self._written = {}

    def lines(self, folder: EngineFolder, found: list[str], *, new: bool) -> list[str]:
        """Return the lines for the folder's file: the wanted ones, then the user's own."""
        # Before this record existed, everything in the file of a folder was ours.
        ours = {*self._written.get(folder.id, [] if new else found), *folder.ignore_patterns}
        return [*folder.ignore_patterns, *(line for line in found if line not in ours)]

    def is_foreign_link(self, folder: EngineFolder) -> bool:
        """Return True for a link in a folder that we have not written to yet.

        Its lines must not become part of a file of ours: another device may have synced it, and it
        may lead to a secret file.
        """
        return folder.id not in self._written and (Path(folder.path) / FILE).is_symlink()

    def remember(self, folders: Iterable[EngineFolder]) -> None:
        written = {**self._written, **{each.id: each.ignore_patterns for each in folders}}
        if written != self._written:
            self._written = written
            part = self._file.with_suffix(".part")
            part.write_bytes(msgspec.json.encode(written))
            part.replace(self._file)


async def set_ignores(
    rest: Rest, folders: Sequence[EngineFolder], new: frozenset[str], written: WrittenPatterns
) -> dict[str, Problem]:
    """Set changed patterns; return the folders whose patterns could not be set."""
    links = Problem("bad_ignore_pattern", {"reason": f"{FILE} is a link"})
    problems = {each.id: links for each in folders if written.is_foreign_link(each)}
    folders = [each for each in folders if each.id not in problems]
    for folder, lines in await asyncio.to_thread(_differing, folders, new, written):
        try:
            answer = await rest.set_ignores(folder.id, lines)
        except AppError as error:
            problems[folder.id] = Problem(error.code, error.inputs)
            continue
        if answer.error:
            # The engine stores them anyway, and the folder stops until they are fixed.
            problems[folder.id] = Problem("bad_ignore_pattern", {"reason": answer.error[:300]})
    await asyncio.to_thread(written.remember, [each for each in folders if each.id not in problems])
    return problems


def _differing(
    folders: list[EngineFolder], new: frozenset[str], written: WrittenPatterns
) -> list[tuple[EngineFolder, list[str]]]:
    """Return folders with their new lines; skip missing ones, since setting patterns would create
    an unmounted folder. One that was added while it is paused has no marker before it is resumed.
    """
    differing = []
    for folder in folders:
        path = Path(folder.path)
        is_there = (path / MARKER).exists() or (folder.paused and path.is_dir())
        if folder.id in new or is_there:
            found = file_patterns(path)
            lines = written.lines(folder, found, new=folder.id in new)
            if lines != found:
                differing.append((folder, lines))
    return differing


def told_patterns(folder: Path) -> list[str]:
    """Return the first lines of the folder's ignore file for the server.

    Links are not followed: another device may have synced one with this name, which leads to a
    secret file. The engine itself syncs no such link to the top of a folder, but to those below.
    """
    path, no_links = folder / FILE, getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if path.is_symlink():
            return []
        with os.fdopen(os.open(path, os.O_RDONLY | no_links), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return []
            return file.read(_TOLD_BYTES).decode(errors="replace").splitlines()
    except OSError:
        return []


def file_patterns(folder: Path) -> list[str]:
    """Return the lines of the folder's ignore file."""
    try:
        return (folder / FILE).read_text(errors="replace").splitlines()
    except OSError:
        return []
