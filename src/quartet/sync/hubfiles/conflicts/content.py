"""Reads both sides of a conflict, up to a size limit; these functions block."""

import os
from collections.abc import Iterator

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.sync.hubfiles.conflicts.diff import same_lines
from quartet.sync.hubfiles.conflicts.types import Content, Line, Maker, Side

TEXT_BYTES = 256 * 1024
# With more lines, the texts are returned without a diff.
MOST_LINES = 20_000


def read(root: Root, path: Parts, copy_path: Parts, current_by: Maker | None = None) -> Content:
    copy, copy_data = _side(root, copy_path)
    current, current_data = _side_if_any(root, path)
    too_large = copy_data is None or (current is not None and current_data is None)
    left, right = _text(current_data), _text(copy_data)
    binary = not too_large and (right is None or (current is not None and left is None))
    if too_large or binary:
        left = right = None
    return Content(
        path="/".join(path),
        copy_path="/".join(copy_path),
        current=Side(current.size, current.modified_at, left) if current else None,
        copy=Side(copy.size, copy.modified_at, right),
        current_by=current_by,
        diff=None if left is None or right is None else line_diff(left, right),
        too_large=too_large,
        binary=binary,
    )


def _side(root: Root, path: Parts) -> tuple[Side, bytes | None]:
    """Return the file's data, or no content if it is too large; it may grow while being read."""
    with root.open(path) as file:
        seen = os.fstat(file.fileno())
        data = file.read(TEXT_BYTES + 1) if seen.st_size <= TEXT_BYTES else None
    return Side(seen.st_size, int(seen.st_mtime)), (
        None if data is None or len(data) > TEXT_BYTES else data
    )


def _side_if_any(root: Root, path: Parts) -> tuple[Side | None, bytes | None]:
    try:
        return _side(root, path)
    except AppError as error:
        if error.code != "not_found":
            raise
        return None, None


def _text(data: bytes | None) -> str | None:
    try:
        return None if data is None or b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def line_diff(left: str, right: str) -> list[Line] | None:
    one, two = _lines(left), _lines(right)
    if max(len(one), len(two)) > MOST_LINES:
        return None
    return list(_rows(one, two))


def _lines(text: str) -> list[str]:
    """Split into lines and keep the newlines: a last line without one counts as different."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _rows(one: list[str], two: list[str]) -> Iterator[Line]:
    left = right = 0
    for x, y in [*same_lines(one, two), (len(one), len(two))]:
        for at in range(left, x):
            yield Line("del", one[at].removesuffix("\n"), left=at + 1)
        for at in range(right, y):
            yield Line("add", two[at].removesuffix("\n"), right=at + 1)
        if x < len(one):
            yield Line("same", one[x].removesuffix("\n"), left=x + 1, right=y + 1)
        left, right = x + 1, y + 1
