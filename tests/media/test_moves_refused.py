"""What a disk refuses while a file goes to another one."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from quartet.media.moves.types import OnConflict, Step
from tests.media.house import House, codes


def refused(*_: Any, **__: Any) -> None:
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


def lock(monkeypatch: pytest.MonkeyPatch, folder: Path, *, deletes: bool = False) -> None:
    """Nothing can be deleted there; some disks say so although they have done it."""
    real = os.unlink

    def unlink(name: str, *, dir_fd: int | None = None) -> None:
        if dir_fd is not None and os.path.samestat(os.fstat(dir_fd), folder.stat()):
            if deletes:
                real(name, dir_fd=dir_fd)
            refused()
        real(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", unlink)


@pytest.mark.parametrize("policy", ["skip", "overwrite"])
def test_a_file_that_cannot_be_deleted_leaves_no_copy(
    house: House, monkeypatch: pytest.MonkeyPatch, policy: OnConflict
) -> None:
    source, target = house.file("downloads/locked/Film.mkv", "new"), house.far / "Film.mkv"
    if policy == "overwrite":
        target.write_text("old")
    before = house.tree()
    lock(monkeypatch, source.parent)
    for _ in range(2):
        report = house.run(Step(str(source), str(target), on_conflict=policy))
        assert codes(report) == ["permission_denied"]
        assert house.tree() == before
    assert [(row.state, row.backup) for row in house.rows()] == [("failed", None)] * 2


def test_a_copy_that_is_all_there_is_stays(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = house.file("downloads/locked/Film.mkv"), house.far / "Film.mkv"
    before = house.tree()
    lock(monkeypatch, source.parent, deletes=True)
    assert codes(house.run(Step(str(source), str(target)))) == [None]
    assert target.exists() and not source.exists()
    assert len(house.undo().undone) == 1
    assert house.tree() == before


def test_an_undo_that_cannot_delete_can_be_tried_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = house.file("downloads/Film.mkv"), house.far / "Film.mkv"
    before = house.tree()
    house.run(Step(str(source), str(target)))
    moved = house.tree()
    with monkeypatch.context() as patch:
        lock(patch, house.far)
        assert [one.code for one in house.undo().failed] == ["permission_denied"]
        assert house.tree() == moved
    assert len(house.undo().undone) == 1
    assert house.tree() == before


def test_a_disk_that_takes_neither_mode_nor_times(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = house.file("downloads/Film.mkv", "film"), house.far / "Film.mkv"
    with monkeypatch.context() as patch:
        patch.setattr(os, "fchmod", refused)
        patch.setattr(os, "utime", refused)
        assert codes(house.run(Step(str(source), str(target)))) == [None]
    assert target.read_text() == "film" and not source.exists()
    assert len(house.undo().undone) == 1
    assert source.read_text() == "film" and not target.exists()
