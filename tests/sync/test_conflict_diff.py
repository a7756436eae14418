"""The diff is correct for all texts and fast even for hostile ones."""

import os
import random
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.kernel.files import Root
from quartet.sync.hubfiles.conflicts.content import TEXT_BYTES, line_diff, read
from quartet.sync.hubfiles.conflicts.diff import same_lines
from quartet.sync.hubfiles.conflicts.types import Content

COPY = ("a.sync-conflict-20261115-004805-L4V4D74.txt",)
SECONDS = 2.0


def content(folder: Path, current: bytes | None, copy: bytes) -> Content:
    if current is not None:
        (folder / "a.txt").write_bytes(current)
    (folder / COPY[0]).write_bytes(copy)
    return read(Root(folder), ("a.txt",), COPY)


@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcde")))
def test_matched_lines_are_equal_and_ordered(left: list[str], right: list[str]) -> None:
    pairs = same_lines(left, right)
    assert all(left[x] == right[y] for x, y in pairs)
    for (x, y), (next_x, next_y) in pairwise(pairs):
        assert x < next_x
        assert y < next_y
    if left == right:
        assert len(pairs) == len(left)


@given(st.text("ab\r\n"), st.text("abc\n"))
def test_both_texts_can_be_rebuilt_from_diff(left: str, right: str) -> None:
    lines = line_diff(left, right)
    assert lines is not None
    one = [line.text for line in lines if line.left]
    two = [line.text for line in lines if line.right]
    assert "\n".join(one) == left.removesuffix("\n")
    assert "\n".join(two) == right.removesuffix("\n")


def hostile() -> Iterator[tuple[str, bytes, bytes]]:
    chance = random.Random(6)
    half = TEXT_BYTES // 2
    yield "one byte lines", b"a\n" * half, b"b\n" * half
    one, two = ("".join(chance.choice("ab") + "\n" for _ in range(20_000)) for _ in range(2))
    yield "two strings", one.encode(), two.encode()
    lines = [f"{number}\n" for number in range(20_000)]
    yield "distinct lines", "".join(lines).encode(), "".join(f"-{line}" for line in lines).encode()
    yield "turned round", "".join(lines).encode(), "".join(reversed(lines)).encode()
    yield "blocks", b"a\n" * 9999 + b"b\n" * 9999, b"b\n" * 9999 + b"a\n" * 9999
    yield "one line", b"a" * TEXT_BYTES, b"b" * TEXT_BYTES


@pytest.mark.parametrize(("left", "right"), [case[1:] for case in hostile()])
def test_hostile_texts_are_compared_quickly(tmp_path: Path, left: bytes, right: bytes) -> None:
    began = time.process_time()
    found = content(tmp_path, left, right)
    assert time.process_time() - began < SECONDS
    assert (found.too_large, found.binary) == (False, False)
    assert found.copy.text == right.decode()


def test_binary_and_large_files_are_not_shown(tmp_path: Path) -> None:
    for data in (b"\xff\xfe", b"text\0with a zero", "ä".encode("latin-1")):
        found = content(tmp_path, b"text", data)
        assert (found.binary, found.too_large, found.diff) == (True, False, None)
        assert (found.copy.text, found.copy.size) == (None, len(data))
    found = content(tmp_path, b"text", b"a" * (TEXT_BYTES + 1))
    assert (found.binary, found.too_large, found.diff) == (False, True, None)


def test_growing_file_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is small when checked and much larger when read."""
    (tmp_path / "a.txt").write_text("small")
    (tmp_path / COPY[0]).write_bytes(b"a" * (TEXT_BYTES * 4))
    small = (tmp_path / "a.txt").stat()
    monkeypatch.setattr(os, "fstat", lambda _fd: small)
    found = read(Root(tmp_path), ("a.txt",), COPY)
    assert (found.too_large, found.copy.text) == (True, None)


def test_deleted_file_leaves_only_copy(tmp_path: Path) -> None:
    found = content(tmp_path, None, b"still here\n")
    assert found.current is None
    assert (found.copy.text, found.diff, found.binary) == ("still here\n", None, False)


def test_diff_of_small_change(tmp_path: Path) -> None:
    found = content(tmp_path, b"one\ntwo\nthree\n", b"one\n2\nthree\nfour")
    assert found.diff is not None
    assert [(line.kind, line.text, line.left, line.right) for line in found.diff] == [
        ("same", "one", 1, 1),
        ("del", "two", 2, None),
        ("add", "2", None, 2),
        ("same", "three", 3, 3),
        ("add", "four", None, 4),
    ]
