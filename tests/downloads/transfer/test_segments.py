"""Every byte is written exactly once, even if connections break."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from quartet.downloads.transfer.segments import Segment, Segments, covers
from tests.rounds import examples

SIZES = st.integers(0, 200)


class Course(RuleBasedStateMachine):
    """A simulated file; a crash keeps what was saved, a lost connection what was written."""

    @initialize(size=SIZES)
    def begin(self, size: int) -> None:
        self.size = size
        self.segments = Segments(size)
        self.disk = bytearray(size)
        self.working: list[Segment] = []
        self.saved = self.segments.spans()

    @rule()
    def take_idle(self) -> None:
        if segment := self.segments.take_idle():
            assert all(segment is not other for other in self.working)
            self.working.append(segment)

    @rule(smallest=st.integers(0, 30))
    def split_largest(self, smallest: int) -> None:
        before = {id(segment): segment.left or 0 for segment in self.working}
        if tail := self.segments.split_largest(smallest):
            assert max(before.values()) >= 2 * max(1, smallest)
            assert (tail.left or 0) >= 1
            self.working.append(tail)

    @precondition(lambda self: self.working)
    @rule(data=st.data(), count=st.integers(1, 80))
    def receive(self, data: Any, count: int) -> None:
        segment = data.draw(st.sampled_from(self.working))
        assert segment.end is not None
        for at in range(segment.position, min(segment.position + count, segment.end)):
            assert self.disk[at] == 0, "written twice"
            self.disk[at] = 1
        self.segments.record_written(segment, min(count, segment.end - segment.position))

    @precondition(lambda self: self.working)
    @rule(data=st.data())
    def lose(self, data: Any) -> None:
        """End a connection, at the end of its segment or before."""
        segment = data.draw(st.sampled_from(self.working))
        self.working.remove(segment)
        self.segments.release(segment)

    @rule()
    def save(self) -> None:
        self.saved = self.segments.spans()

    @rule()
    def crash(self) -> None:
        """Bytes that were not saved are fetched again, so they count as empty."""
        assert covers(self.size, self.saved)
        self.working = []
        self.segments = Segments(self.size, self.saved)
        kept = bytearray(self.size)
        for start, position, _ in self.saved:
            kept[start:position] = self.disk[start:position]
        assert all(
            kept[start:position] == b"\1" * (position - start) for start, position, _ in self.saved
        )
        self.disk = kept

    @invariant()
    def correct_server(self) -> None:
        assert self.segments.done == sum(self.disk)
        assert covers(self.size, self.segments.spans())
        assert self.segments.complete == (sum(self.disk) == self.size)
        for segment in self.working:
            behind = self.segments.bytes_before(segment, 10)
            assert all(self.disk[segment.position - behind : segment.position])

    def teardown(self) -> None:
        for segment in getattr(self, "working", []):
            self.segments.release(segment)
        while hasattr(self, "segments") and (left := self.segments.take_idle()):
            assert left.end is not None
            assert not any(self.disk[left.position : left.end])
            self.segments.record_written(left, left.end - left.position)
            self.segments.release(left)
        assert not hasattr(self, "segments") or self.segments.complete


TestCourse = Course.TestCase
TestCourse.settings = settings(max_examples=examples(150), stateful_step_count=40)


def test_segment_list_stays_short() -> None:
    segments = Segments(1_000_000)
    while segment := segments.take_idle():
        segments.split_largest(10)
        segments.record_written(segment, segment.left or 0)
        segments.release(segment)
        for tail in segments._all:
            tail.busy = False
    assert segments.spans() == [(0, 1_000_000, 1_000_000)]


def test_size_of_stream_is_set_later() -> None:
    segments = Segments(None)
    stream = segments.take_idle()
    assert stream
    segments.record_written(stream, 5)
    assert segments.spans() == []
    assert segments.split_largest(1) is None
    segments.set_size(5)
    assert segments.complete


@pytest.mark.parametrize(
    "spans", [[], [(0, 0, 5)], [(0, 5, 5), (6, 6, 10)], [(0, 6, 5), (5, 5, 10)], [(0, 10, 11)]]
)
def test_invalid_spans_are_detected(spans: list[tuple[int, int, int]]) -> None:
    assert not covers(10, spans)
