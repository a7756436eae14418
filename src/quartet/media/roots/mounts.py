"""Reads which file systems are mounted where."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from quartet.media.roots.allowed_folders import is_within

# File systems without events for changes made by other machines.
_WITHOUT_EVENTS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "afs", "ceph", "glusterfs", "davfs"}
)
# Disks that keep files, besides those without events.
_DISKS = frozenset(
    {
        *("ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "bcachefs", "f2fs", "jfs", "reiserfs"),
        *("ntfs", "ntfs3", "exfat", "vfat", "hfsplus", "apfs", "udf", "iso9660"),
    }
)
_TABLE = Path("/proc/self/mountinfo")
# Escaped space, tab, line break or backslash.
_ESCAPED = re.compile(r"\\([0-7]{3})")


def needs_polling(path: str, table: Path = _TABLE) -> bool:
    """Return True if changes there are only found by polling; blocks."""
    best, kind = "", ""
    for mount, file_system in _mounts(table):
        if is_within(path, mount) and len(mount) >= len(best):
            best, kind = mount, file_system
    return _is_shared(kind)


def mount_points(table: Path = _TABLE) -> list[str]:
    """Return the folders at which disks and network shares are mounted; blocks."""
    found = {mount for mount, kind in _mounts(table) if kind in _DISKS or _is_shared(kind)}
    # A container has files such as /etc/hosts mounted.
    return sorted(path for path in found if os.path.isdir(path))  # noqa: PTH112 - keeps any bytes


def _is_shared(kind: str) -> bool:
    return kind in _WITHOUT_EVENTS or kind.startswith("fuse")


def _mounts(table: Path) -> Iterator[tuple[str, str]]:
    """Yield each mount point with its file system."""
    try:
        lines = table.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        before, _, after = line.partition(" - ")
        mount = _ESCAPED.sub(lambda found: chr(int(found[1], 8)), before.split(" ")[4])
        yield mount, after.split(" ")[0]
