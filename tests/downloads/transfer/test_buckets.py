"""Speed limits, by a clock of our own."""

import pytest

from quartet.downloads.transfer.buckets import EVERYTHING, Bucket, Limits, many, one


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def drain(bucket: Bucket, clock: Clock, seconds: float, piece: int = 16384) -> int:
    taken, end = 0, clock.now + seconds
    while clock.now < end:
        wait = bucket.wait()
        if wait:
            clock.now += wait
        else:
            bucket.take(piece)
            taken += piece
    return taken


@pytest.mark.parametrize("rate", [200_000, 1_000_000, 50_000_000])
def test_five_seconds_bring_five_seconds_worth(rate: int) -> None:
    clock = Clock()
    assert drain(Bucket(rate, clock), clock, 5) == pytest.approx(5 * rate, rel=0.05)


def test_time_without_use_is_not_saved_up() -> None:
    clock = Clock()
    bucket = Bucket(1_000_000, clock)
    clock.now += 3600
    assert drain(bucket, clock, 1) < 1_400_000


def test_a_change_counts_at_once() -> None:
    clock = Clock()
    bucket = Bucket(1000, clock)
    drain(bucket, clock, 1)
    bucket.change(10_000_000)
    assert drain(bucket, clock, 1) == pytest.approx(10_000_000, rel=0.06)


def test_who_is_bound_by_what() -> None:
    limits = Limits()
    limits.set(EVERYTHING, 10)
    limits.set(one(1), 10)
    limits.set(many(5), 10)
    assert len(limits.binding(1, 5)) == 3
    assert len(limits.binding(2, None)) == 1
    limits.set(EVERYTHING, None)
    limits.set(many(5), 0)
    assert len(limits.binding(1, 5)) == 1
