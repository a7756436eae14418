import pytest

from quartet.kernel.auth import Throttle
from quartet.kernel.errors import AppError


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_ten_failures_in_a_minute_and_no_more() -> None:
    clock = Clock()
    throttle = Throttle(clock=clock)
    for _ in range(10):
        throttle.attempt("ada")
        clock.now += 1
    with pytest.raises(AppError) as refused:
        throttle.attempt("ada")
    assert (refused.value.status, refused.value.inputs) == (429, {"seconds": 50})
    clock.now = 60.0
    throttle.attempt("ada")


def test_a_success_forgives() -> None:
    throttle = Throttle(limit=2, clock=Clock())
    throttle.attempt("ada")
    throttle.passed("ada")
    throttle.attempt("ada")
    throttle.attempt("ada")
    with pytest.raises(AppError):
        throttle.attempt("ada")


def test_memory_is_bounded_however_many_addresses_come() -> None:
    throttle = Throttle(keys=100, clock=Clock())
    for number in range(10_000):
        throttle.attempt(str(number))
    assert len(throttle._attempts) == 100
