"""Splits long lists, because databases limit the number of parameters in a statement."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

AT_ONCE = 1000


def in_batches(things: Sequence[T], at_once: int = AT_ONCE) -> Iterator[list[T]]:
    for start in range(0, len(things), at_once):
        yield list(things[start : start + at_once])
