"""Where the files of a folder are on the hub, and where what was replaced goes."""

import os
import secrets
import time
from pathlib import Path
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root, move
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.copies import CopyContext, copy_file
from quartet.kernel.files.errors import app_errors_on_rename, display_path
from quartet.kernel.files.paths import validate_parts
from quartet.sync.config.types.folders import Folder
from quartet.sync.hubfiles.names import OWN_NAMES, stamp, time_of, version, version_name

VERSIONS = ".stversions"


def parts_of(path: str) -> Parts:
    """The exact names of a path from a listing; never one that the engine keeps for itself."""
    parts = validate_parts(tuple(path.split("/")))
    if parts[0] in OWN_NAMES:
        raise AppError(400, "path_invalid", path=display_path(parts))
    return parts


class Kept(NamedTuple):
    """Which file a version is of, and the time it is kept by."""

    of: Parts
    at: int


def version_place(of: Parts, at: int) -> Parts:
    """Where a version is kept; `kept_at` finds out of what."""
    marked = version_name(of[-1], at)
    if marked is not None:
        return (*of[:-1], marked)
    # No file of a user is in a folder of this name, so it is free for names as they are.
    return (VERSIONS, stamp(at), *of)


def kept_at(place: Parts) -> Kept | None:
    if place[0] == VERSIONS:
        at = time_of(place[1]) if len(place) > 2 else None
        return Kept(place[2:], at) if at is not None else None
    known = version(place[-1])
    return Kept((*place[:-1], known.name), known.at) if known else None


class FolderOnDisk:
    """One folder on the hub's disk. Its methods block: call them from a thread.

    The archive is a folder of our own beside the engine's `.stversions`: there the engine thins
    out versions that follow each other closely, also those a person has just put away.
    """

    def __init__(self, data: Path, folder: Folder) -> None:
        if folder.encrypted_on_hub:
            # The hub knows neither names nor contents.
            raise AppError(409, "encrypted_on_hub", folder=folder.label)
        self.files = Root(data / "folders" / folder.engine_folder_id)
        self.archive = Root(data / "archive" / folder.engine_folder_id)

    def put_away(self, parts: Parts, of: Parts | None = None) -> int:
        """Moves a file into the archive as a version of `of`; returns the time it is kept by."""
        of = of or parts
        self._require_file(parts)
        self.archive.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        at = int(time.time())
        while True:
            kept = version_place(of, at)
            if kept[:-1]:
                self.archive.make_folder(kept[:-1])
            try:
                if not self.files.exists((VERSIONS, *kept)):
                    move(self.files, parts, kept, self.archive)
                    return at
            except AppError as error:
                if error.code != "already_exists":
                    raise
            # The time is the name of a version: two of one second need two.
            at += 1

    def bring_back(self, source: Root, kept: Parts, to: Parts) -> None:
        """Copies a version to where the file was; what is there now is put away first."""
        if to[:-1]:
            self.files.make_folder(to[:-1])
        # The engine leaves such names alone, and removes one that a crash has left.
        part = (*to[:-1], f".syncthing.quartet-{secrets.token_hex(8)}.tmp")
        try:
            with (
                source.place(kept) as old,
                self.files.place(part) as new,
                app_errors_on_rename(kept, part),
            ):
                copy_file(old, new, CopyContext(kept))
            self.take_over(part, to)
        finally:
            if self.files.exists(part):
                self.files.remove(part)

    def take_over(self, source: Parts, name: Parts) -> None:
        """`source` gets the name; the file that had it is put away."""
        before = self.seen(name)
        if before is not None:
            self.put_away(name)
            self._make_news(source, before)
        self.files.rename(source, name)

    def seen(self, parts: Parts) -> os.stat_result | None:
        """Nothing where there is no such name."""
        return self.files.stat(parts) if self.files.exists(parts) else None

    def _make_news(self, source: Parts, before: os.stat_result) -> None:
        """The engine knows a changed file by time and size alone."""
        with self.files.open(source) as file:
            now = os.fstat(file.fileno())
            if (now.st_mtime_ns, now.st_size) == (before.st_mtime_ns, before.st_size):
                os.utime(file.fileno())

    def _require_file(self, parts: Parts) -> None:
        """Neither links nor folders are put away: nobody could bring them back."""
        self.files.open(parts).close()
