"""How much room things take on the disk."""

import os
from pathlib import Path


def size_of(path: Path) -> int:
    """Of a file, or of all files below a folder; what vanishes meanwhile takes none."""
    try:
        if path.is_symlink() or not path.is_dir():
            return path.lstat().st_size
    except OSError:
        return 0
    return sum(size_of(Path(folder) / name) for folder, _, names in os.walk(path) for name in names)
