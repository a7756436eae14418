"""Finds the common lines of two texts in bounded time.

Lines that are unique in both texts are matched first (patience diff). The gaps between them are
compared with Myers' algorithm until the work budget is used up; the rest is treated as replaced.
The result is always correct, but not minimal for texts that differ almost everywhere.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Pair = tuple[int, int]

MOST_EDITS = 400
MOST_STEPS = 2_000_000


@dataclass
class _WorkBudget:
    left: int = MOST_STEPS


def same_lines(left: Sequence[str], right: Sequence[str]) -> list[Pair]:
    """Return index pairs of common lines, in ascending order."""
    begin = _common(left, right)
    end = _common(left[begin:][::-1], right[begin:][::-1])
    inner = left[begin : len(left) - end], right[begin : len(right) - end]
    pairs = [(at, at) for at in range(begin)]
    pairs += [(begin + one, begin + two) for one, two in _inner(*inner)]
    pairs += [(len(left) - back, len(right) - back) for back in range(end, 0, -1)]
    return pairs


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the common prefix."""
    length = min(len(left), len(right))
    return next((at for at in range(length) if left[at] != right[at]), length)


def _inner(left: Sequence[str], right: Sequence[str]) -> list[Pair]:
    work = _WorkBudget()
    pairs: list[Pair] = []
    begin = (0, 0)
    for one, two in [*_anchors(left, right), (len(left), len(right))]:
        gap = left[begin[0] : one], right[begin[1] : two]
        pairs += [(begin[0] + x, begin[1] + y) for x, y in _shortest(*gap, work)]
        if one < len(left):
            pairs.append((one, two))
        begin = (one + 1, two + 1)
    return pairs


def _anchors(left: Sequence[str], right: Sequence[str]) -> list[Pair]:
    """Return lines that are unique in both texts, as many as keep their order."""
    once = {line for line, count in Counter(left).items() if count == 1}
    once &= {line for line, count in Counter(right).items() if count == 1}
    there = {line: at for at, line in enumerate(right) if line in once}
    candidates = [(at, there[line]) for at, line in enumerate(left) if line in once]
    # Longest increasing subsequence: the smallest end for each length, with links to the
    # predecessors.
    lasts: list[int] = []
    rows: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(candidates):
        length = bisect_left(lasts, place)
        before.append(rows[length - 1] if length else -1)
        lasts[length : length + 1] = [place]
        rows[length : length + 1] = [number]
    anchors: list[Pair] = []
    number = rows[-1] if rows else -1
    while number >= 0:
        anchors.append(candidates[number])
        number = before[number]
    return anchors[::-1]


def _shortest(left: Sequence[str], right: Sequence[str], work: _WorkBudget) -> list[Pair]:
    """Return the common lines, or none if the work budget is exceeded."""
    most = min(len(left) + len(right), MOST_EDITS) if left and right and work.left > 0 else -1
    # The furthest position on each diagonal; `trail` keeps a copy from before each round.
    reach, middle = [0] * (2 * most + 5), most + 2
    trail: list[list[int]] = []
    for edits in range(most + 1):
        trail.append(reach[middle - edits - 1 : middle + edits + 2])
        for k in range(-edits, edits + 1, 2):
            x = _step(reach, middle + k, k, edits)
            begin = x
            while x < len(left) and x - k < len(right) and left[x] == right[x - k]:
                x += 1
            reach[middle + k] = x
            work.left -= x - begin + 1
            if x >= len(left) and x - k >= len(right):
                return _back(trail, len(left), len(right))
        if work.left < 0:
            break
    return []


def _step(reach: Sequence[int], at: int, k: int, edits: int) -> int:
    """Return where a diagonal continues: after an addition from above or a removal from below."""
    if k == -edits or (k != edits and reach[at - 1] < reach[at + 1]):
        return reach[at + 1]
    return reach[at - 1] + 1


def _back(trail: list[list[int]], x: int, y: int) -> list[Pair]:
    pairs: list[Pair] = []
    for edits in range(len(trail) - 1, -1, -1):
        reach, k = trail[edits], x - y
        at = edits + 1 + k
        added = k == -edits or (k != edits and reach[at - 1] < reach[at + 1])
        from_x = reach[at + 1] if added else reach[at - 1]
        from_y = from_x - (k + 1 if added else k - 1)
        while x > max(from_x, 0) and y > max(from_y, 0):
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = from_x, from_y
    return pairs[::-1]
