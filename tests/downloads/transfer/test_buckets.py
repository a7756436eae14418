"""Speed limits, with a fake clock."""

import pytest

from quartet.downloads.transfer.buckets import (
    ALL_JOBS,
    Bucket,
    LimitBuckets,
    group_scope,
    job_scope,
)


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
def test_bucket_allows_its_rate(rate: int) -> None:
    clock = Clock()
    assert drain(Bucket(rate, clock), clock, 5) == pytest.approx(5 * rate, rel=0.05)


def test_unused_time_is_not_saved_up() -> None:
    clock = Clock()
    bucket = Bucket(1_000_000, clock)
    clock.now += 3600
    assert drain(bucket, clock, 1) < 1_400_000


def test_rate_change_takes_effect_at_once() -> None:
    clock = Clock()
    bucket = Bucket(1000, clock)
    drain(bucket, clock, 1)
    bucket.change(10_000_000)
    assert drain(bucket, clock, 1) == pytest.approx(10_000_000, rel=0.06)


def test_buckets_of_jobs_and_groups() -> None:
    limits = LimitBuckets()
    limits.set(ALL_JOBS, 10)
    limits.set(job_scope(1), 10)
    limits.set(group_scope(5), 10)
    assert len(limits.buckets_for(1, 5)) == 3
    assert len(limits.buckets_for(2, None)) == 1
    limits.set(ALL_JOBS, None)
    limits.set(group_scope(5), 0)
    assert len(limits.buckets_for(1, 5)) == 1
