"""Checkpoints, and when they are trusted."""

from pathlib import Path

import pytest

from quartet.downloads.transfer import checkpoint
from quartet.downloads.transfer.checkpoint import Checkpoint, Identity

STATE = Checkpoint(Identity(100, '"a"'), [(0, 30, 50), (50, 50, 100)])


def written(folder: Path, size: int = 100) -> Path:
    part = folder / "1.part"
    part.write_bytes(b"\0" * size)
    checkpoint.save(part, STATE)
    return part


def test_saved_checkpoint_is_loaded(tmp_path: Path) -> None:
    assert checkpoint.load(written(tmp_path)) == STATE


@pytest.mark.parametrize("size", [0, 99, 101])
def test_part_file_of_other_size_is_not_trusted(tmp_path: Path, size: int) -> None:
    assert checkpoint.load(written(tmp_path, size)) is None


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"\xff\xfe",
        b'{"identity":{"size":100},"spans":[[0,100,99]]}',
        b'{"identity":{"size":100},"spans":[[0,0,-100]]}',
        b'{"identity":{"size":100},"spans":[[0,100,100]],"version":2}',
    ],
)
def test_damaged_checkpoint_is_not_trusted(tmp_path: Path, text: bytes) -> None:
    part = written(tmp_path)
    checkpoint.checkpoint_path(part).write_bytes(text)
    assert checkpoint.load(part) is None


def test_checkpoint_without_part_file_is_not_trusted(tmp_path: Path) -> None:
    part = written(tmp_path)
    part.unlink()
    assert checkpoint.load(part) is None
    checkpoint.discard(part)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        (Identity(1), Identity(1), False),
        (Identity(1), Identity(2), True),
        (Identity(1, '"a"'), Identity(1, '"a"'), False),
        (Identity(1, '"a"'), Identity(1, '"b"'), True),
        (Identity(1, '"a"'), Identity(1), False),
        (Identity(1, None, "x"), Identity(1, None, "y"), True),
        (Identity(1, '"a"', "x"), Identity(1, None, "y"), True),
        (Identity(1, '"a"', "x"), Identity(1, '"a"', "y"), False),
    ],
)
def test_file_versions_are_distinguished(one: Identity, other: Identity, differs: bool) -> None:
    assert one.differs(other) is differs
    assert other.differs(one) is differs
