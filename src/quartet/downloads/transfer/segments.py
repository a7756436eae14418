"""Which bytes of a file are there, and who fetches which of the others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Span = tuple[int, int, int]  # start, written up to, end


@dataclass(slots=True, eq=False)
class Segment:
    """A stretch one connection writes from front to back; the end of a stream may be unknown."""

    start: int
    position: int
    end: int | None
    busy: bool = False
    # Its next request compares a few bytes that are there already with what the server has now.
    doubted: bool = False

    @property
    def complete(self) -> bool:
        return self.position == self.end

    @property
    def left(self) -> int | None:
        return None if self.end is None else self.end - self.position


class Segments:
    """Stretches that lie side by side from the first byte to the last, never over each other."""

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
        """What may be stored; a stream of unknown length has nothing to store."""
        return [(each.start, each.position, each.end) for each in self._all if each.end is not None]

    def shown(self) -> tuple[tuple[int, int, int | None], ...]:
        # A copy first: others look while a connection splits the list.
        return tuple((each.start, each.position, each.end) for each in list(self._all))

    def learn(self, size: int) -> None:
        """The length of a stream, told by its answer or by its end."""
        self.size = size
        self._all[-1].end = size

    def take(self) -> Segment | None:
        """The first stretch nobody works on, best one with bytes before it to compare."""
        idle = [each for each in self._all if not each.busy and not each.complete]
        segment = max(idle, key=lambda each: self.behind(each, 1), default=None)
        if segment:
            segment.busy = True
        return segment

    def steal(self, smallest: int) -> Segment | None:
        """The second half of what has most left; its worker stops where that begins."""
        running = [each for each in self._all if each.busy]
        largest = max(running, key=lambda each: each.left or 0, default=None)
        if largest is None or largest.end is None or (largest.left or 0) < 2 * max(smallest, 1):
            return None
        middle = largest.position + (largest.end - largest.position + 1) // 2
        tail = Segment(middle, middle, largest.end, busy=True)
        largest.end = middle
        self._all.insert(self._all.index(largest) + 1, tail)
        return tail

    def wrote(self, segment: Segment, count: int) -> None:
        segment.position += count

    def release(self, segment: Segment) -> None:
        segment.busy = False
        self._join()

    def behind(self, segment: Segment, most: int) -> int:
        """How many bytes right before its position are there, for comparing them."""
        count = segment.position - segment.start
        place = self._all.index(segment)
        before = self._all[place - 1] if place else None
        if before and before.complete:
            count += before.position - before.start
        return min(count, most)

    def _join(self) -> None:
        """Finished neighbours become one, so that the list stays short however long this runs."""
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
    """Whether stored spans describe exactly this many bytes, each once."""
    reached = 0
    for start, position, end in spans:
        if start != reached or not start <= position <= end:
            return False
        reached = end
    return reached == size
