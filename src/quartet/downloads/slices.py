"""Long lists in pieces a database takes: it counts the values of a statement."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

AT_ONCE = 1000


def slices(things: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(things), AT_ONCE):
        yield things[start : start + AT_ONCE]
