"""What is stored beside a part file, and when it is believed."""

from pathlib import Path

import pytest

from quartet.downloads.transfer import control
from quartet.downloads.transfer.control import Control, Identity

STATE = Control(Identity(100, '"a"'), [(0, 30, 50), (50, 50, 100)])


def written(folder: Path, size: int = 100) -> Path:
    part = folder / "1.part"
    part.write_bytes(b"\0" * size)
    control.save(part, STATE)
    return part


def test_it_comes_back(tmp_path: Path) -> None:
    assert control.load(written(tmp_path)) == STATE


@pytest.mark.parametrize("size", [0, 99, 101])
def test_a_part_of_another_size_is_not_believed(tmp_path: Path, size: int) -> None:
    assert control.load(written(tmp_path, size)) is None


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
def test_a_damaged_one_is_not_believed(tmp_path: Path, text: bytes) -> None:
    part = written(tmp_path)
    control.control_path(part).write_bytes(text)
    assert control.load(part) is None


def test_neither_file_alone_is_believed(tmp_path: Path) -> None:
    part = written(tmp_path)
    part.unlink()
    assert control.load(part) is None
    control.discard(part)
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
def test_versions_are_told_apart(one: Identity, other: Identity, differs: bool) -> None:
    assert one.differs(other) is differs
    assert other.differs(one) is differs
