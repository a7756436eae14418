"""Detects the file system of a folder."""

import re
from pathlib import Path

from quartet.media.roots.allowed_folders import is_within

# File systems without events for changes made by other machines.
_WITHOUT_EVENTS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "afs", "ceph", "glusterfs", "davfs"}
)
_TABLE = Path("/proc/self/mountinfo")
# Escaped space, tab, line break or backslash.
_ESCAPED = re.compile(r"\\([0-7]{3})")


def needs_polling(path: str, table: Path = _TABLE) -> bool:
    """Return True if changes there are only found by polling; blocks."""
    best, kind = "", ""
    try:
        lines = table.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return False
    for line in lines:
        before, _, after = line.partition(" - ")
        mount = _ESCAPED.sub(lambda found: chr(int(found[1], 8)), before.split(" ")[4])
        if is_within(path, mount) and len(mount) >= len(best):
            best, kind = mount, after.split(" ")[0]
    return kind in _WITHOUT_EVENTS or kind.startswith("fuse")
