"""What some tests need of the machine they run on."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Never

import pytest

SHM = Path("/dev/shm")


def lacking(what: str) -> Never:
    """Where nobody may install things, what needs them is left out; never where it must pass."""
    if os.environ.get("CI"):
        raise RuntimeError(what)
    pytest.skip(what)


@contextmanager
def second_disk(beside: Path) -> Iterator[Path]:
    """A folder on another file system than `beside`."""
    if not SHM.is_dir() or SHM.stat().st_dev == beside.stat().st_dev:
        pytest.skip(f"needs a second disk at {SHM}")
    with tempfile.TemporaryDirectory(dir=SHM) as folder:
        yield Path(folder)
