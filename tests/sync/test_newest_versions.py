"""The remembered versions of a folder are those on the disk."""

import os
import random
import shutil
from itertools import count
from pathlib import Path

import pytest

from quartet.sync.config.types.folders import Folder
from quartet.sync.hubfiles.folder_on_disk import FolderOnDisk, version_path
from quartet.sync.hubfiles.versions import archive, newest
from quartet.sync.hubfiles.versions.newest import NewestVersions
from quartet.sync.hubfiles.versions.types import Version
from quartet.sync.protocol import Versioning

FOLDER = Folder(1, "Notes", "notes", [], Versioning(), False, 1)
LONG_AGO = 10**18
NAMES = ("a.txt", "b", "x" * 250)
FOLDERS = ((), ("deep",), ("deep", "er"), ("other",))


class Disk:
    """Changes versions at random. Each change gives its folder a time of its own, long ago."""

    def __init__(self, data: Path) -> None:
        self.folder = FolderOnDisk(data, FOLDER)
        self._tops = (self.folder.archive.path, self.folder.files.path / ".stversions")
        for top in self._tops:
            top.mkdir(parents=True)
        self._chance = random.Random(1)
        self._times = count(LONG_AGO - 10**9)

    def change(self) -> None:
        top, below = self._chance.choice(self._tops), self._chance.choice(FOLDERS)
        of = (*below, self._chance.choice(NAMES))
        path = top.joinpath(*version_path(of, self._chance.randrange(10**9, 10**9 + 40)))
        if self._chance.random() < 0.1 and below:
            shutil.rmtree(top.joinpath(*below), ignore_errors=True)
        elif path.exists():
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("old")
        for root in self._tops:
            for folder, _, _ in os.walk(root):
                if Path(folder).stat().st_mtime_ns > LONG_AGO:
                    now = next(self._times)
                    os.utime(folder, ns=(now, now))


def all_pages(folder: FolderOnDisk, known: NewestVersions | None) -> list[Version]:
    found: list[Version] = []
    cursor: str | None = ""
    while cursor is not None:
        page = archive.page(folder, "", cursor, known)
        found += page.versions
        cursor = page.cursor
    return found


def test_remembered_versions_are_those_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "PAGE", 7)
    monkeypatch.setattr(newest, "KEPT", 40)
    disk = Disk(tmp_path)
    known = NewestVersions(disk.folder)
    for _ in range(80):
        disk.change()
        assert all_pages(disk.folder, known) == all_pages(disk.folder, None)


def test_unchanged_folders_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path)
    for _ in range(20):
        disk.change()
    known = NewestVersions(disk.folder)
    before = archive.page(disk.folder, "", "", known)
    monkeypatch.setattr(os, "scandir", None)
    assert archive.page(disk.folder, "", "", known) == before
    assert before.versions


def test_changes_within_one_tick_of_the_clock_are_seen(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    top = disk.folder.archive.path
    known = NewestVersions(disk.folder)
    for number in range(5):
        (top / f"plan{number}~20261115-004805.txt").write_text("old")
        assert len(archive.page(disk.folder, "", "", known).versions) == number + 1
