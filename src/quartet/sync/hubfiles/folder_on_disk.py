"""Paths of a folder's files on the hub, and of the archive for replaced files."""

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


def path_parts(path: str) -> Parts:
    """Split a path from a listing; reject names that are reserved by the engine."""
    parts = validate_parts(tuple(path.split("/")))
    if parts[0] in OWN_NAMES:
        raise AppError(400, "path_invalid", path=display_path(parts))
    return parts


class VersionKey(NamedTuple):
    """The file that a version belongs to, and its time."""

    of: Parts
    at: int


def version_path(of: Parts, at: int) -> Parts:
    """Return the path of a version; `parse_version_path` is the reverse."""
    marked = version_name(of[-1], at)
    if marked is not None:
        return (*of[:-1], marked)
    # The name is too long for a mark. Users' files are never in this folder, so full names fit
    # here.
    return (VERSIONS, stamp(at), *of)


def parse_version_path(place: Parts) -> VersionKey | None:
    if place[0] == VERSIONS:
        at = time_of(place[1]) if len(place) > 2 else None
        return VersionKey(place[2:], at) if at is not None else None
    known = version(place[-1])
    return VersionKey((*place[:-1], known.name), known.at) if known else None


class FolderOnDisk:
    """One folder on the hub's disk. Its methods block: call them in a thread.

    The archive is separate from the engine's `.stversions`, because the engine thins out versions
    there
    that are close in time, including files a user has just replaced.
    """

    def __init__(self, data: Path, folder: Folder) -> None:
        if folder.encrypted_on_hub:
            # The hub knows neither names nor contents.
            raise AppError(409, "encrypted_on_hub", folder=folder.label)
        self.files = Root(data / "folders" / folder.engine_folder_id)
        self.archive = Root(data / "archive" / folder.engine_folder_id)

    def move_to_archive(self, parts: Parts, of: Parts | None = None) -> int:
        """Move a file to the archive as a version of `of`; return the version's time."""
        of = of or parts
        self._require_file(parts)
        self.archive.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        at = int(time.time())
        while True:
            kept = version_path(of, at)
            if kept[:-1]:
                self.archive.make_folder(kept[:-1])
            try:
                if not self.files.exists((VERSIONS, *kept)):
                    move(self.files, parts, kept, self.archive)
                    return at
            except AppError as error:
                if error.code != "already_exists":
                    raise
            # The time names the version, so two versions in one second need different ones.
            at += 1

    def restore_version(self, source: Root, kept: Parts, to: Parts) -> None:
        """Copy a version back to its path; archive the current file first."""
        if to[:-1]:
            self.files.make_folder(to[:-1])
        # The engine ignores such temporary names and removes them after a crash.
        part = (*to[:-1], f".syncthing.quartet-{secrets.token_hex(8)}.tmp")
        try:
            with (
                source.place(kept) as old,
                self.files.place(part) as new,
                app_errors_on_rename(kept, part),
            ):
                copy_file(old, new, CopyContext(kept))
            self.replace_file(part, to)
        finally:
            if self.files.exists(part):
                self.files.remove(part)

    def replace_file(self, source: Parts, name: Parts) -> None:
        """Rename `source` to `name`; archive the file that had the name."""
        before = self.seen(name)
        if before is not None:
            self.move_to_archive(name)
            self._ensure_change_detected(source, before)
        self.files.rename(source, name)

    def seen(self, parts: Parts) -> os.stat_result | None:
        """Return None if the file does not exist."""
        return self.files.stat(parts) if self.files.exists(parts) else None

    def _ensure_change_detected(self, source: Parts, before: os.stat_result) -> None:
        """Touch the file if needed: the engine detects changes only by time and size."""
        with self.files.open(source) as file:
            now = os.fstat(file.fileno())
            if (now.st_mtime_ns, now.st_size) == (before.st_mtime_ns, before.st_size):
                os.utime(file.fileno())

    def _require_file(self, parts: Parts) -> None:
        """Fail for links and folders, which could not be restored."""
        self.files.open(parts).close()
