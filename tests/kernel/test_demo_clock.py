import pytest

from quartet.kernel.demo import DemoClock
from tests.kernel.clock import Time

pytestmark = pytest.mark.anyio


async def test_first_hour_passes_faster_than_later_ones() -> None:
    time = Time()
    clock = DemoClock(36.0, time.clock)
    assert clock.speed == 100
    time.now = 35
    assert clock.speed == 100
    time.now = 37
    assert clock.speed == 1


async def test_repeated_task_waits_before_each_run() -> None:
    runs = 0

    async def run() -> None:
        nonlocal runs
        runs += 1
        if runs == 2:
            raise KeyError

    with pytest.raises(KeyError):
        await DemoClock(1.0).every(3.6, run, "demo").run()
