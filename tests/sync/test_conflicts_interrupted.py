"""An interruption at any point loses no content, and the conflict can still be resolved."""

import os
import time
from contextlib import suppress
from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.sync.config.types.folders import Folder
from quartet.sync.hubfiles.conflicts import finder
from quartet.sync.hubfiles.conflicts.resolve import resolve
from quartet.sync.hubfiles.conflicts.types import Keep
from quartet.sync.hubfiles.folder_on_disk import FolderOnDisk
from quartet.sync.protocol import Versioning

MARK = ".sync-conflict-20261115-004805-L4V4D74"
COPY = f"deep/plan{MARK}.txt"


@pytest.fixture
def folder(tmp_path: Path) -> FolderOnDisk:
    place = tmp_path / "folders/notes/deep"
    place.mkdir(parents=True)
    (place / "plan.txt").write_text("mine")
    (place / f"plan{MARK}.txt").write_text("theirs")
    return FolderOnDisk(tmp_path, Folder(1, "Notes", "notes", [], Versioning(), False, 0))


def texts(folder: FolderOnDisk) -> list[str]:
    places = (folder.files.path, folder.archive.path)
    found = [path for place in places for path in place.rglob("*") if path.is_file()]
    return sorted(path.read_text() for path in found)


class Killed(BaseException):
    """Simulates the end of the process."""


@pytest.mark.parametrize("keep", ["current", "copy", "both"])
@pytest.mark.parametrize("step", range(1, 5))
def test_resolve_survives_kill_at_any_step(
    folder: FolderOnDisk, monkeypatch: pytest.MonkeyPatch, keep: Keep, step: int
) -> None:
    steps = 0

    def counted(name: str) -> None:
        real = getattr(Root, name)

        def run(*args: object, **options: object) -> object:
            nonlocal steps
            steps += 1
            if steps == step:
                raise Killed
            return real(*args, **options)

        monkeypatch.setattr(Root, name, run)

    with monkeypatch.context():
        for name in ("rename", "make_folder", "place"):
            counted(name)
        with suppress(Killed):
            resolve(folder, finder.copy_of(COPY), keep, "tower")
        monkeypatch.undo()
    assert texts(folder) == ["mine", "theirs"]
    if COPY in finder.search(folder):
        resolve(folder, finder.copy_of(COPY), keep, "tower")
    assert texts(folder) == ["mine", "theirs"]
    assert finder.search(folder) == set()


def test_clock_set_back_overwrites_nothing(
    folder: FolderOnDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_700_000_000.0)
    parts = ("deep", "plan.txt")
    times = []
    for number in range(5):
        folder.files.path.joinpath(*parts).write_text(f"text {number}")
        times.append(folder.move_to_archive(parts))
    assert times == [1_700_000_000 + number for number in range(5)]
    assert texts(folder) == [f"text {number}" for number in range(5)] + ["theirs"]


def test_full_disk_changes_nothing(folder: FolderOnDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full when the archive folder is created."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "mkdir", full)
    with pytest.raises((AppError, OSError)):
        resolve(folder, finder.copy_of(COPY), "copy", "")
    monkeypatch.undo()
    assert texts(folder) == ["mine", "theirs"]
    assert finder.search(folder) == {COPY}


def test_unmounted_disk_has_no_conflicts(tmp_path: Path) -> None:
    missing = FolderOnDisk(tmp_path, Folder(1, "Notes", "gone", [], Versioning(), False, 0))
    assert finder.search(missing) == set()
    with pytest.raises(AppError, match="conflict_not_found"):
        resolve(missing, finder.copy_of(COPY), "copy", "")
    assert list(tmp_path.iterdir()) == []
