"""Unpacks one archive set, and the archives inside it, into a folder: all of it or nothing."""

import ctypes
import os
import sys
from collections.abc import Iterable
from typing import NamedTuple

from quartet.downloads.archives.guard import Guard, Size
from quartet.downloads.archives.merging import Merge
from quartet.downloads.archives.passwords import KeyRing
from quartet.downloads.archives.sets import find_sets, is_meant_to_be_unpacked
from quartet.downloads.archives.staging import Staging
from quartet.downloads.archives.tidying import Tree, tidy
from quartet.downloads.archives.types import (
    ArchiveSet,
    Cancelled,
    Extracted,
    Limits,
    Parts,
    Progress,
)
from quartet.downloads.archives.unpacking import Percent, Unpacker
from quartet.kernel.errors import AppError
from quartet.kernel.files import RelativePath, Root
from quartet.kernel.files.errors import app_errors, display_path
from quartet.kernel.files.paths import to_parts

_DEFAULTS = Limits()

# Inside an archive these are no reason to fail: the inner one stays packed.
_HARMLESS_INSIDE = (
    "already_exists",
    "archive_damaged",
    "archive_needs_memory",
    "archive_unsafe",
    "extraction_failed",
    "not_an_archive",
    "parts_missing",
    "wrong_password",
)


def extract(
    root: Root,
    archive: ArchiveSet,
    target: RelativePath,
    passwords: Iterable[str] = (),
    limits: Limits = _DEFAULTS,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Extracted:
    """Blocks: call it from a thread. The target stays untouched until everything is unpacked."""
    into = to_parts(target)
    keys = KeyRing(passwords)
    guard = Guard(archive.first, _packed_size(root, archive), limits, cancelled)
    staging = Staging(root, archive.folder)
    try:
        extraction = _Extraction(staging, guard, Unpacker(staging, guard, keys))
        unpacked = extraction.unpack(archive, 0, _rising(progress))
        _save(staging)
        guard.check()
        root.make_folder(into)
        renamed = Merge(root, unpacked.top, into).run()
    finally:
        staging.discard()
    if progress:
        progress(100)
    return Extracted(
        files=_files(unpacked.tree, into, renamed),
        password_used=keys.worked[0] if keys.worked else None,
        bytes=unpacked.tree.size.bytes,
    )


class _Unpacked(NamedTuple):
    top: Parts
    tree: Tree


class _Extraction:
    """Goes through an archive and what is packed inside it."""

    def __init__(self, staging: Staging, guard: Guard, unpacker: Unpacker) -> None:
        self._staging = staging
        self._root = staging.root
        self._guard = guard
        self._unpacker = unpacker

    def unpack(self, archive: ArchiveSet, depth: int, percent: Percent) -> _Unpacked:
        top = self._unpacker.unpack(archive, percent)
        tree = tidy(self._root, top, archive.first)
        self._guard.add(tree.size)
        inside = self._archives_inside(top, tree)
        for inner in inside:
            self._unpack_inner(inner, depth + 1)
        if inside:
            tree = tidy(self._root, top, archive.first)
        return _Unpacked(top, tree)

    def _archives_inside(self, top: Parts, tree: Tree) -> list[ArchiveSet]:
        if not self._guard.limits.depth:
            return []
        return [
            inner
            for folder, names in tree.files.items()
            for inner in find_sets(names, (*top, *folder))
            if is_meant_to_be_unpacked(inner)
        ]

    def _unpack_inner(self, archive: ArchiveSet, depth: int) -> None:
        """Puts the content in place of the inner archive, where it can be opened."""
        self._guard.check_depth(depth)
        try:
            unpacked = self.unpack(archive, depth, _ignore)
            Merge(self._root, unpacked.top, archive.folder).run()
        except AppError as error:
            if error.code not in _HARMLESS_INSIDE:
                raise
            return
        self._guard.add(Size(-_packed_size(self._root, archive), -len(archive.parts)))
        for name in archive.parts:
            self._root.remove((*archive.folder, name))
        self._staging.discard(unpacked.top)


def _packed_size(root: Root, archive: ArchiveSet) -> int:
    return sum(root.stat((*archive.folder, name)).st_size for name in archive.parts)


def _files(tree: Tree, into: Parts, renamed: dict[Parts, str]) -> tuple[str, ...]:
    paths = ((*folder, name) for folder, names in tree.files.items() for name in names)
    placed = (((*path[:-1], renamed.get(path, path[-1]))) for path in paths)
    return tuple(sorted(display_path((*into, *path)) for path in placed))


def _rising(progress: Progress | None) -> Percent:
    """Never backwards, and 100 only when everything is in its place."""
    highest = -1

    def tell(percent: int) -> None:
        nonlocal highest
        percent = min(percent, 99)
        if progress and percent > highest:
            highest = percent
            progress(percent)

    return tell


def _ignore(percent: int) -> None:
    pass


def _save(staging: Staging) -> None:
    """On the disk before it counts as unpacked, because the archive may be deleted then."""
    if sys.platform != "linux":
        os.sync()
        return
    fd = os.open(staging.path(staging.parts), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.syncfs(fd):
            code = ctypes.get_errno()
            with app_errors(staging.parts[:-1]):
                raise OSError(code, os.strerror(code))
    finally:
        os.close(fd)
