"""Extracts an archive set and the archives inside it into a folder, all or nothing."""

import ctypes
import os
import sys
from collections.abc import Iterable
from typing import NamedTuple

from quartet.downloads.archives.extractor import Extractor, Percent
from quartet.downloads.archives.guard import ExtractedSize, ExtractionGuard
from quartet.downloads.archives.merge import FolderMerge
from quartet.downloads.archives.passwords import KeyRing
from quartet.downloads.archives.sanitize import ExtractedTree, portable_name, sanitize_tree
from quartet.downloads.archives.sets import find_sets, is_extractable
from quartet.downloads.archives.staging import Staging
from quartet.downloads.archives.types import (
    ArchiveSet,
    Cancelled,
    Extracted,
    ExtractionLimits,
    Parts,
    Progress,
)
from quartet.kernel.errors import AppError
from quartet.kernel.files import RelativePath, Root, unique_name
from quartet.kernel.files.errors import app_errors, display_path
from quartet.kernel.files.paths import to_parts

_DEFAULTS = ExtractionLimits()

# Errors that are ignored for an archive inside an archive, which then stays packed.
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
    limits: ExtractionLimits = _DEFAULTS,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
    *,
    remove_inner: bool = False,
) -> Extracted:
    """Extract the archive. Blocks, so call it from a thread.

    The target folder stays unchanged until everything is extracted. `remove_inner` removes archives
    inside the archive after their extraction.
    """
    into = to_parts(target)
    keys = KeyRing(passwords)
    guard = ExtractionGuard(archive.first, _packed_size(root, archive), limits, cancelled)
    staging = Staging(root, archive.folder)
    try:
        extractor = Extractor(staging, guard, keys)
        extraction = _Extraction(staging, guard, extractor, remove_inner=remove_inner)
        extracted = extraction.extract(archive, 0, _monotonic(progress))
        _sync(staging)
        guard.check()
        root.make_folder(into)
        renamed = FolderMerge(root, extracted.top, into).run()
    finally:
        staging.discard()
    if progress:
        progress(100)
    return Extracted(
        files=_files(extracted.tree, into, renamed),
        password_used=keys.worked[0] if keys.worked else None,
        bytes=extracted.tree.size.bytes,
        renamed=_renamed(extracted.tree, into, renamed),
        skipped_links=tuple(extractor.skipped_links),
    )


class _ExtractedArchive(NamedTuple):
    top: Parts
    tree: ExtractedTree


class _Extraction:
    """Extracts an archive and the archives inside it."""

    def __init__(
        self, staging: Staging, guard: ExtractionGuard, extractor: Extractor, *, remove_inner: bool
    ) -> None:
        self._staging = staging
        self._root = staging.root
        self._guard = guard
        self._extractor = extractor
        self._remove_inner = remove_inner

    def extract(self, archive: ArchiveSet, depth: int, percent: Percent) -> _ExtractedArchive:
        top = self._extractor.extract(archive, percent)
        tree = sanitize_tree(self._root, top, archive.first)
        self._guard.add(tree.size)
        inside = self._archives_inside(top, tree)
        for inner in inside:
            self._extract_inner(inner, depth + 1)
        if inside:
            again = sanitize_tree(self._root, top, archive.first)
            tree = again._replace(renamed={**tree.renamed, **again.renamed})
        return _ExtractedArchive(top, tree)

    def _archives_inside(self, top: Parts, tree: ExtractedTree) -> list[ArchiveSet]:
        if not self._guard.limits.depth:
            return []
        return [
            inner
            for folder, names in tree.files.items()
            for inner in find_sets(names, (*top, *folder))
            if is_extractable(inner)
        ]

    def _extract_inner(self, archive: ArchiveSet, depth: int) -> None:
        """Extract an inner archive, if it can be opened, into a folder of its own.

        In a common folder the files of several archives would get other names.
        """
        self._guard.check_depth(depth)
        try:
            extracted = self.extract(archive, depth, _ignore)
            self._root.rename(extracted.top, (*archive.folder, self._folder_for(archive)))
        except AppError as error:
            if error.code not in _HARMLESS_INSIDE:
                raise
            return
        if self._remove_inner:
            self._guard.add(ExtractedSize(-_packed_size(self._root, archive), -len(archive.parts)))
            for name in archive.parts:
                self._root.remove((*archive.folder, name))

    def _folder_for(self, archive: ArchiveSet) -> str:
        taken = {entry.name for entry in self._root.list(archive.folder)}
        return unique_name(portable_name(archive.stem), taken)


def _packed_size(root: Root, archive: ArchiveSet) -> int:
    return sum(root.stat((*archive.folder, name)).st_size for name in archive.parts)


def _files(tree: ExtractedTree, into: Parts, renamed: dict[Parts, str]) -> tuple[str, ...]:
    paths = ((*folder, name) for folder, names in tree.files.items() for name in names)
    placed = (((*path[:-1], renamed.get(path, path[-1]))) for path in paths)
    return tuple(sorted(display_path((*into, *path)) for path in placed))


def _renamed(
    tree: ExtractedTree, into: Parts, merged: dict[Parts, str]
) -> tuple[tuple[str, str], ...]:
    both = {**tree.renamed, **merged}
    return tuple(
        (display_path((*into, *path)), display_path((*into, *path[:-1], name)))
        for path, name in sorted(both.items())
    )


def _monotonic(progress: Progress | None) -> Percent:
    """Return a callback that never goes backwards, and stays below 100 until all files are in
    place.
    """
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


def _sync(staging: Staging) -> None:
    """Sync the files before the archive counts as extracted, because it may be deleted then."""
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
