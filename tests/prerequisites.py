"""Checks for programs and hardware that some tests depend on."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Never

import pytest

SHM = Path("/dev/shm")


def missing_prerequisite(what: str) -> Never:
    """Skip the test, or fail in CI, where every prerequisite must be installed."""
    if os.environ.get("CI"):
        raise RuntimeError(what)
    pytest.skip(what)


@contextmanager
def second_file_system(other: Path) -> Iterator[Path]:
    """Yield a folder on a different file system than `other`."""
    if not SHM.is_dir() or SHM.stat().st_dev == other.stat().st_dev:
        pytest.skip(f"needs a second disk at {SHM}")
    with tempfile.TemporaryDirectory(dir=SHM) as folder:
        yield Path(folder)
