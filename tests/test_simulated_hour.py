"""The clock of the demo in pictures."""

import asyncio
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
from simulated_hour import Clock, Selector


class Real:
    now = 1000.0


def test_clock_is_late_until_the_hour_is_over() -> None:
    real = Real()
    clock = Clock(240, lambda: real.now)
    assert (clock.late(), clock.speed) == (3360, 1)
    clock.begin()
    real.now += 120
    # Half of the hour has passed: 1,800 seconds in 120.
    assert (clock.late(), clock.speed) == (3360 - 1800 + 120, 15)
    real.now += 120
    assert (clock.late(), clock.speed) == (0, 1)


def test_pauses_and_timestamps_pass_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("time", "time_ns", "monotonic", "monotonic_ns"):
        monkeypatch.setattr(time, name, getattr(time, name))
    clock, began = Clock(36), time.perf_counter()
    clock.install()
    clock.begin()
    stamp = time.time()
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(Selector(clock))) as runner:
        runner.run(asyncio.sleep(10))
    assert time.time() - stamp >= 10
    assert time.perf_counter() - began < 10
