"""The test tree and simulated system capabilities."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.prerequisites import second_file_system

from quartet.kernel.files import Root, syscalls


@pytest.fixture(params=["openat2", "walk"], scope="module")
def opening_by(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run tests with openat2 and with the fallback."""
    way: str = request.param
    if way == "openat2" and not syscalls.has_openat2():
        pytest.skip("this kernel has no openat2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(syscalls, "has_openat2", lambda: way == "openat2")
        yield way


@pytest.fixture(params=["renameat2", "by hand", "by hand without links"])
def renaming_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run tests with RENAME_NOREPLACE, without it, and without hard links."""
    way: str = request.param

    def unsupported(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    if way != "renameat2":
        monkeypatch.setattr(syscalls, "renameat2", unsupported)
    if way == "by hand without links":
        monkeypatch.setattr(os, "link", unsupported)
    return way


@pytest.fixture
def root(tmp_path: Path) -> Root:
    folder = tmp_path / "root"
    folder.mkdir()
    return Root(folder)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "canary").write_bytes(b"canary")
    return folder


@pytest.fixture
def other_disk(tmp_path: Path) -> Iterator[Root]:
    with second_file_system(tmp_path) as folder:
        yield Root(folder)
