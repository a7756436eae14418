import errno
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root, move

BIG = os.urandom(20 * 1024 * 1024 + 17)


def write(root: Root, path: str, data: bytes) -> None:
    with root.create(path) as file:
        file.write(data)


def read(root: Root, path: str) -> bytes:
    with root.open(path) as file:
        return file.read()


def names(root: Root) -> list[str]:
    return [entry.name for entry in root.list()]


def after_one_step(act: Callable[[], bool]) -> Callable[[], bool]:
    """A move checks for cancellation at the beginning and after each step."""
    asked = count()
    return lambda: next(asked) == 1 and act()


def test_move_on_one_file_system_renames(root: Root) -> None:
    write(root, "file", b"data")
    number = root.stat("file").st_ino
    move(root, "file", "moved")
    assert root.stat("moved").st_ino == number


def test_file_moves_to_other_file_system(root: Root, other_disk: Root) -> None:
    write(root, "file", BIG)
    os.utime(root.path / "file", ns=(1_000_000_000, 1_600_000_000_123_456_789))
    (root.path / "file").chmod(0o640)
    move(root, "file", "moved", to=other_disk)
    assert read(other_disk, "moved") == BIG
    seen = other_disk.stat("moved")
    assert (seen.st_mode & 0o777, seen.st_mtime_ns) == (0o640, 1_600_000_000_123_456_789)
    assert (names(root), names(other_disk)) == ([], ["moved"])


@pytest.mark.parametrize("missing", [("copy_file_range",), ("copy_file_range", "sendfile")])
def test_every_copy_method_produces_same_result(
    root: Root, other_disk: Root, missing: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object) -> int:
        raise OSError(38, "not here")

    for name in missing:
        monkeypatch.setattr(os, name, unsupported)
    write(root, "file", BIG)
    move(root, "file", "moved", to=other_disk)
    assert read(other_disk, "moved") == BIG


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP, errno.ENOSYS])
@pytest.mark.parametrize("refused", ["fchmod", "utime"])
def test_move_ignores_unsupported_mode_and_times(
    root: Root, other_disk: Root, refused: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    root.make_folder("tree")
    write(root, "tree/file", b"data")
    write(root, "file", b"data")
    os.utime(root.path / "file", ns=(1, 10**18))
    (root.path / "file").chmod(0o640)
    monkeypatch.setattr(os, refused, no)
    for name in ("tree", "file"):
        move(root, name, name, to=other_disk)
    assert read(other_disk, "tree/file") == read(other_disk, "file") == b"data"
    assert names(root) == []
    seen = other_disk.stat("file")
    kept = {"fchmod": seen.st_mode & 0o777 == 0o640, "utime": seen.st_mtime_ns == 10**18}
    assert kept == {"fchmod": refused != "fchmod", "utime": refused != "utime"}


def test_failed_copy_leaves_no_partial_file(
    root: Root, other_disk: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    write(root, "file", b"data")
    monkeypatch.setattr(os, "utime", fails)
    with pytest.raises((AppError, OSError)):
        move(root, "file", "file", to=other_disk)
    assert (names(root), names(other_disk)) == (["file"], [])


def test_folder_moves_to_other_file_system(root: Root, other_disk: Root, outside: Path) -> None:
    root.make_folder("tree/sub/empty")
    write(root, "tree/a", b"a" * 1000)
    write(root, "tree/sub/b", b"b" * 2000)
    (root.path / "tree/sub/link").symlink_to(outside / "canary")
    os.utime(root.path / "tree/sub", ns=(5, 7_000_000_000))
    move(root, "tree", "moved", to=other_disk)
    assert read(other_disk, "moved/sub/b") == b"b" * 2000
    assert [e.name for e in other_disk.list("moved/sub")] == ["b", "empty", "link"]
    assert other_disk.stat("moved/sub").st_mtime_ns == 7_000_000_000
    assert names(root) == []
    assert (outside / "canary").read_bytes() == b"canary"


def test_move_to_other_file_system_replaces_nothing(root: Root, other_disk: Root) -> None:
    write(root, "file", b"source")
    write(other_disk, "taken", b"target")
    with pytest.raises(AppError) as caught:
        move(root, "file", "taken", to=other_disk)
    assert caught.value.code == "already_exists"
    assert read(root, "file") == b"source"
    assert read(other_disk, "taken") == b"target"
    assert names(other_disk) == ["taken"]


@pytest.mark.parametrize("path", ["file", "tree"])
def test_cancelled_move_keeps_source_and_removes_copy(
    root: Root, other_disk: Root, path: str
) -> None:
    root.make_folder("tree")
    write(root, "file", BIG)
    write(root, "tree/file", BIG)
    with pytest.raises(AppError) as caught:
        move(root, path, "moved", to=other_disk, cancelled=after_one_step(lambda: True))
    assert (caught.value.code, caught.value.inputs) == ("cancelled", {"path": path})
    assert names(other_disk) == []
    assert read(root, "file") == read(root, "tree/file") == BIG


def test_file_that_grows_during_move_is_kept(root: Root, other_disk: Root) -> None:
    write(root, "file", BIG)

    def grow() -> bool:
        with root.update("file") as file:
            file.seek(0, os.SEEK_END)
            file.write(b"more")
        return False

    with pytest.raises(AppError) as caught:
        move(root, "file", "moved", to=other_disk, cancelled=after_one_step(grow))
    assert caught.value.code == "source_changed"
    assert names(other_disk) == []
    assert read(root, "file").startswith(BIG)


def test_file_added_to_folder_during_move_is_kept(root: Root, other_disk: Root) -> None:
    root.make_folder("tree")
    write(root, "tree/file", b"data")

    def arrive() -> bool:
        write(root, "tree/late", b"late")
        return False

    with pytest.raises(AppError) as caught:
        move(root, "tree", "moved", to=other_disk, cancelled=after_one_step(arrive))
    assert caught.value.code == "source_changed"
    assert read(root, "tree/late") == b"late"
    assert read(other_disk, "moved/file") == b"data"


def test_copy_without_free_space_does_not_start(
    root: Root, other_disk: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "file", b"x" * 5000)
    full = os.statvfs_result((4096, 4096, 10, 1, 1, 10, 10, 10, 0, 255))
    monkeypatch.setattr(os, "fstatvfs", lambda _: full)
    with pytest.raises(AppError) as caught:
        move(root, "file", "moved", to=other_disk)
    assert caught.value.inputs == {"path": "file", "needed": 5000, "free": 4096}
    assert names(other_disk) == []


def test_rename_to_other_file_system_reports_different_mount(root: Root, other_disk: Root) -> None:
    write(root, "file", b"data")
    with pytest.raises(AppError) as caught:
        root.rename("file", "moved", to=other_disk)
    assert (caught.value.code, caught.value.inputs) == ("different_mount", {"path": "moved"})
