"""Tracks which bytes of a file are written and which request fetches which others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Span = tuple[int, int, int]  # start, position, end


@dataclass(slots=True, eq=False)
class Segment:
    """A byte range that one request writes in order; `end` is None if the size is unknown."""

    start: int
    position: int
    end: int | None
    busy: bool = False
    # The next request also fetches some existing bytes and compares them.
    doubted: bool = False

    @property
    def complete(self) -> bool:
        return self.position == self.end

    @property
    def left(self) -> int | None:
        return None if self.end is None else self.end - self.position


class Segments:
    """Adjacent segments that cover the file without gaps or overlaps."""

    def __init__(self, size: int | None, spans: Sequence[Span] = ()) -> None:
        self.size = size
        self._all = [Segment(*span, doubted=True) for span in spans] or [Segment(0, 0, size)]
        self._join()

    @property
    def done(self) -> int:
        return sum(segment.position - segment.start for segment in self._all)

    @property
    def complete(self) -> bool:
        return all(segment.complete for segment in self._all)

    def spans(self) -> list[Span]:
        """Return the segments for a checkpoint; empty while the size is unknown."""
        return [(each.start, each.position, each.end) for each in self._all if each.end is not None]

    def shown(self) -> tuple[tuple[int, int, int | None], ...]:
        # Copy first, because another thread may split the list.
        return tuple((each.start, each.position, each.end) for each in list(self._all))

    def set_size(self, size: int) -> None:
        """Set the size, from a response or from the end of a stream."""
        self.size = size
        self._all[-1].end = size

    def take_idle(self) -> Segment | None:
        """Return an idle segment, preferably one with existing bytes before it to compare."""
        idle = [each for each in self._all if not each.busy and not each.complete]
        segment = idle[0] if idle else None
        if len(idle) > 1:
            segment = max(idle, key=lambda each: self.bytes_before(each, 1))
        if segment:
            segment.busy = True
        return segment

    def split_largest(self, smallest: int) -> Segment | None:
        """Split the segment with the most bytes left and return its second half."""
        running = [each for each in self._all if each.busy]
        largest = max(running, key=lambda each: each.left or 0, default=None)
        if largest is None or largest.end is None or (largest.left or 0) < 2 * max(smallest, 1):
            return None
        middle = largest.position + (largest.end - largest.position + 1) // 2
        tail = Segment(middle, middle, largest.end, busy=True)
        largest.end = middle
        self._all.insert(self._all.index(largest) + 1, tail)
        return tail

    def can_split(self, smallest: int) -> bool:
        """Return whether another request could take over a part of a running one."""
        return any((each.left or 0) >= 2 * max(smallest, 1) for each in self._all if each.busy)

    def sample(self, size: int) -> Segment | None:
        """Return the last `size` bytes of the longest written range, for comparing them."""
        longest = max(self._all, key=lambda each: each.position - each.start)
        if longest.position - longest.start < size:
            return None
        stop = longest.position
        return Segment(stop - size, stop, stop, busy=True)

    def doubt(self) -> None:
        """Compare existing bytes before each incomplete segment is continued."""
        for segment in self._all:
            segment.doubted = True

    def record_written(self, segment: Segment, count: int) -> None:
        segment.position += count

    def release(self, segment: Segment) -> None:
        segment.busy = False
        self._join()

    def bytes_before(self, segment: Segment, most: int) -> int:
        """Return how many bytes before the position exist, up to `most`, for comparing them."""
        count = segment.position - segment.start
        place = self._all.index(segment)
        before = self._all[place - 1] if place else None
        if before and before.complete:
            count += before.position - before.start
        return min(count, most)

    def _join(self) -> None:
        """Merge complete neighbours, so that the list stays short."""
        joined: list[Segment] = []
        for segment in self._all:
            before = joined[-1] if joined else None
            if before and _settled(before) and _settled(segment):
                before.position = before.end = segment.end or 0
            else:
                joined.append(segment)
        self._all = joined


def _settled(segment: Segment) -> bool:
    return segment.complete and not segment.busy


def covers(size: int, spans: Iterable[Span]) -> bool:
    """Return whether the spans cover exactly `size` bytes without gaps or overlaps."""
    reached = 0
    for start, position, end in spans:
        if start != reached or not start <= position <= end:
            return False
        reached = end
    return reached == size
