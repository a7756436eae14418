"""On which kind of disk a folder lies."""

import re
from pathlib import Path

from quartet.media.roots.allowed import is_within

# They tell nobody when another machine changes something.
_SILENT = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "afs", "ceph", "glusterfs", "davfs"}
)
_TABLE = Path("/proc/self/mountinfo")
# A space, a tab, a line break or a backslash; everything else stands there as it is.
_ESCAPED = re.compile(r"\\([0-7]{3})")


def is_silent(path: str, table: Path = _TABLE) -> bool:
    """Whether changes there must be looked for; blocks."""
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
    return kind in _SILENT or kind.startswith("fuse")
