"""On which kind of disk a folder lies."""

from pathlib import Path

# They tell nobody when another machine changes something.
_SILENT = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "afs", "ceph", "glusterfs", "davfs"}
)
_TABLE = Path("/proc/self/mountinfo")


def is_silent(path: str, table: Path = _TABLE) -> bool:
    """Whether changes there must be looked for; blocks."""
    best, kind = "", ""
    try:
        lines = table.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return False
    for line in lines:
        before, _, after = line.partition(" - ")
        mount = before.split(" ")[4].encode("latin-1", "replace").decode("unicode_escape")
        holds = path == mount or path.startswith(mount.rstrip("/") + "/")
        if holds and len(mount) >= len(best):
            best, kind = mount, after.split(" ")[0]
    return kind in _SILENT or kind.startswith("fuse")
