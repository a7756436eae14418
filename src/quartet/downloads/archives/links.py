"""Creates the links of an archive after its files were extracted.

7-Zip does not create them, so nothing can be written through a link.
"""

import os
from collections.abc import Iterable
from typing import NamedTuple

from quartet.downloads.archives.types import Parts
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.paths import to_parts


class ArchiveLink(NamedTuple):
    name: str
    target: str
    is_hard: bool


def create_links(root: Root, top: Parts, links: Iterable[ArchiveLink]) -> list[str]:
    """Create the links that stay inside `top`; return the names of the others.

    Hard links come first, so that no folder on the way to a file is a link yet.
    """
    skipped: list[str] = []
    for link in sorted(links, key=lambda link: not link.is_hard):
        try:
            created = (_create_hard_link if link.is_hard else _create_symlink)(root, top, link)
        except (AppError, OSError):
            created = False  # the name is taken, or the file system has no links
        if not created:
            skipped.append(link.name)
    return skipped


def stays_inside(folder: Parts, target: str) -> bool:
    """Return whether a symbolic link in this folder cannot lead out of the top folder.

    Steps up are accepted at the beginning only: after a name they could start from the target of
    another link.
    """
    if not target or target.startswith("/") or "\\" in target or "\0" in target:
        return False
    steps = [step for step in target.split("/") if step not in ("", ".")]
    ups = next((place for place, step in enumerate(steps) if step != ".."), len(steps))
    return ups <= len(folder) and ".." not in steps[ups:]


def _create_symlink(root: Root, top: Parts, link: ArchiveLink) -> bool:
    *folder, name = to_parts(link.name)
    if not stays_inside(tuple(folder), link.target):
        return False
    root.make_folder((*top, *folder))
    with root.folder((*top, *folder)) as fd:
        os.symlink(link.target, name, dir_fd=fd)
    return True


def _create_hard_link(root: Root, top: Parts, link: ArchiveLink) -> bool:
    *folder, name = to_parts(link.name)
    # Raises an error for a path that leaves the folder.
    file = to_parts(link.target)
    root.make_folder((*top, *folder))
    with root.place((*top, *file)) as source, root.folder((*top, *folder)) as fd:
        os.link(source.name, name, src_dir_fd=source.folder, dst_dir_fd=fd, follow_symlinks=False)
    return True
