"""Errors of a disk while a file moves to another one."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from quartet.media.moves.types import OnConflict, Step
from tests.media.move_sandbox import MoveSandbox, codes


def refused(*_: Any, **__: Any) -> None:
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


def lock(monkeypatch: pytest.MonkeyPatch, folder: Path, *, deletes: bool = False) -> None:
    """Make deleting fail in this folder; some disks delete the file anyway."""
    real = os.unlink

    def unlink(name: str, *, dir_fd: int | None = None) -> None:
        if dir_fd is not None and os.path.samestat(os.fstat(dir_fd), folder.stat()):
            if deletes:
                real(name, dir_fd=dir_fd)
            refused()
        real(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", unlink)


@pytest.mark.parametrize("policy", ["skip", "overwrite"])
def test_undeletable_source_leaves_no_copy(
    sandbox: MoveSandbox, monkeypatch: pytest.MonkeyPatch, policy: OnConflict
) -> None:
    source, target = sandbox.file("downloads/locked/Film.mkv", "new"), sandbox.far / "Film.mkv"
    if policy == "overwrite":
        target.write_text("old")
    before = sandbox.tree()
    lock(monkeypatch, source.parent)
    for _ in range(2):
        report = sandbox.run(Step(str(source), str(target), on_conflict=policy))
        assert codes(report) == ["permission_denied"]
        assert sandbox.tree() == before
    assert [(row.state, row.backup) for row in sandbox.rows()] == [("failed", None)] * 2


def test_only_remaining_copy_is_kept(sandbox: MoveSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = sandbox.file("downloads/locked/Film.mkv"), sandbox.far / "Film.mkv"
    before = sandbox.tree()
    lock(monkeypatch, source.parent, deletes=True)
    assert codes(sandbox.run(Step(str(source), str(target)))) == [None]
    assert target.exists() and not source.exists()
    assert len(sandbox.undo().undone) == 1
    assert sandbox.tree() == before


def test_failed_undo_can_be_retried(sandbox: MoveSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = sandbox.file("downloads/Film.mkv"), sandbox.far / "Film.mkv"
    before = sandbox.tree()
    sandbox.run(Step(str(source), str(target)))
    moved = sandbox.tree()
    with monkeypatch.context() as patch:
        lock(patch, sandbox.far)
        assert [one.code for one in sandbox.undo().failed] == ["permission_denied"]
        assert sandbox.tree() == moved
    assert len(sandbox.undo().undone) == 1
    assert sandbox.tree() == before


def test_disk_without_mode_and_times(sandbox: MoveSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = sandbox.file("downloads/Film.mkv", "film"), sandbox.far / "Film.mkv"
    with monkeypatch.context() as patch:
        patch.setattr(os, "fchmod", refused)
        patch.setattr(os, "utime", refused)
        assert codes(sandbox.run(Step(str(source), str(target)))) == [None]
    assert target.read_text() == "film" and not source.exists()
    assert len(sandbox.undo().undone) == 1
    assert source.read_text() == "film" and not target.exists()
