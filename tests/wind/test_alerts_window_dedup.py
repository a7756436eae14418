"""Recognition of windows across runs."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from quartet.wind.alerts.types import AlertWindow
from quartet.wind.alerts.window_dedup import KnownWindow, RunCoverage, decide

HOUR = 3600
# All times are in hours after this.
ZERO = 1_778_544_000
Span = tuple[int, int]


class Memory:
    """Feeds runs to the deduplication and counts announcements."""

    def __init__(self) -> None:
        self.known: dict[int, KnownWindow] = {}
        self.announced: list[tuple[int, int]] = []

    def run(self, hour: int, *spans: Span, reach: int = 300, least: int = 1) -> int:
        """Return how many windows are announced after a run at this hour."""
        found = [
            AlertWindow(ZERO + max(start, hour) * HOUR, ZERO + end * HOUR, 15, 20, None, 0)
            for start, end in spans
            if min(end, reach) - max(start, hour) >= least
        ]
        evaluate_new = RunCoverage(
            ZERO + hour * HOUR, ZERO + hour * HOUR, ZERO + reach * HOUR, least * HOUR
        )
        decision = decide(list(self.known.values()), found, evaluate_new)
        for announced in (*decision.fresh, *decision.moved):
            self.known[announced.window.began] = announced.window
        self.known |= {each.began: each for each in decision.missed}
        self.announced += [(each.window.began, each.window.turn) for each in decision.fresh]
        return len(decision.fresh)


def test_window_is_announced_once() -> None:
    memory = Memory()
    assert [memory.run(hour, (30, 36)) for hour in range(0, 40, 3)] == [1] + [0] * 13


def test_moving_shrinking_and_growing_keeps_the_window() -> None:
    memory = Memory()
    spans = [(30, 36), (31, 37), (33, 39), (34, 36), (30, 44), (38, 44), (41, 47)]
    assert [memory.run(3 * number, span) for number, span in enumerate(spans)] == [1] + [0] * 6


def test_splitting_and_merging_keeps_the_window() -> None:
    memory = Memory()
    assert memory.run(0, (30, 40)) == 1
    assert memory.run(3, (30, 33), (37, 40)) == 0
    assert memory.run(6, (30, 40)) == 0
    memory = Memory()
    assert memory.run(0, (30, 33), (40, 43)) == 2
    assert memory.run(3, (30, 43)) == 0
    assert memory.run(6, (30, 33), (40, 43)) == 0


def test_short_break_causes_no_second_message() -> None:
    memory = Memory()
    assert memory.run(0, (30, 33), (35, 38)) == 1
    assert memory.run(3, (30, 33), (36, 38)) == 0


def test_another_day_is_another_window() -> None:
    memory = Memory()
    assert memory.run(0, (30, 36)) == 1
    assert memory.run(3, (30, 36), (54, 60)) == 1
    assert memory.run(6, (54, 60)) == 0


def test_window_starting_where_a_moved_one_began_is_announced() -> None:
    memory = Memory()
    spans = [(30, 33), (33, 36), (36, 39), (39, 42)]
    assert [memory.run(number, span) for number, span in enumerate(spans)] == [1, 0, 0, 0]
    assert [memory.run(hour, (30, 34), (39, 42)) for hour in (4, 5)] == [1, 0]


def test_window_gone_for_a_day_and_three_runs_is_announced_again() -> None:
    memory = Memory()
    assert memory.run(0, (100, 106)) == 1
    assert [memory.run(hour) for hour in range(3, 27, 3)] == [0] * 8
    assert memory.run(27, (101, 106)) == 1
    assert memory.run(30, (101, 106)) == 0
    assert memory.announced == [(ZERO + 100 * HOUR, 1), (ZERO + 100 * HOUR, 2)]


def test_window_gone_for_less_is_not_announced_again() -> None:
    memory = Memory()
    assert memory.run(0, (100, 106)) == 1
    assert [memory.run(hour) for hour in range(3, 24, 3)] == [0] * 7
    assert memory.run(24, (100, 106)) == 0
    # After two days without runs, one run without the window is not sufficient.
    assert memory.run(27) == 0
    assert memory.run(75, (100, 106)) == 0


def test_runs_that_do_not_reach_the_window_count_as_no_miss() -> None:
    memory = Memory()
    assert memory.run(0, (100, 106)) == 1
    assert [memory.run(hour, reach=48 + hour) for hour in range(3, 45, 3)] == [0] * 14
    assert memory.run(45, (100, 106)) == 0
    # Half of it is visible.
    assert memory.run(48, (100, 103), reach=103) == 0
    assert memory.known[ZERO + 100 * HOUR].end == ZERO + 106 * HOUR


def test_past_window_is_not_counted_as_missing() -> None:
    memory = Memory()
    assert memory.run(0, (10, 16), least=3) == 1
    assert [memory.run(hour, (10, 16), least=3) for hour in (12, 14, 15, 18)] == [0] * 4
    assert memory.known[ZERO + 10 * HOUR].misses == 0


def test_repeated_run_counts_once() -> None:
    memory = Memory()
    memory.run(0, (100, 106))
    for _ in range(5):
        memory.run(3)
    assert memory.known[ZERO + 100 * HOUR].misses == 1


@given(st.lists(st.sampled_from([None, -2, -1, 0, 1, 2]), min_size=1, max_size=25))
def test_flapping_window_is_announced_once(moves: Iterable[int | None]) -> None:
    """Missing from up to seven runs in a row and moved by an hour or two: one message."""
    memory, missing = Memory(), 0
    memory.run(0, (200, 206))
    for number, move in enumerate(moves, start=1):
        missing = missing + 1 if move is None else 0
        shown = move is not None or missing > 7
        spans = [(200 + (move or 0), 206 + (move or 0))] if shown else []
        memory.run(3 * number, *spans)
        missing = 0 if shown else missing
    assert len(memory.announced) == 1


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)), max_size=3),
        min_size=1,
        max_size=20,
    )
)
def test_window_near_an_announced_one_is_not_announced(runs: list[list[tuple[int, int]]]) -> None:
    memory = Memory()
    for number, parts in enumerate(runs):
        spans = _apart([(50 + start, 50 + start + length) for start, length in parts])
        before = {each.began: each for each in memory.known.values()}
        count = len(memory.announced)
        memory.run(number, *spans)
        for began, turn in memory.announced[count:]:
            if began not in before:
                near = [each for each in before.values() if abs(each.start - began) <= 3 * HOUR]
                assert not near
            assert turn == 1
    assert len(set(memory.announced)) == len(memory.announced)


def _apart(spans: list[Span]) -> list[Span]:
    """Generate windows of one run that do not touch."""
    found: list[Span] = []
    for span in sorted(spans):
        if not found or span[0] > found[-1][1]:
            found.append(span)
    return found
