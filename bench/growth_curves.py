"""Curves: what a task costs for growing amounts of data, and how fast that cost grows."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.api import cpu_seconds
from bench.report import Result

# A page of a list must not depend on the length of the list; the rest is noise.
CONSTANT = 0.15
# n log n between 1,000 and 1,000,000: the logarithm doubles while n grows a thousandfold.
LINEARITHMIC = 1.15
LEAST_CPU_SECONDS = 0.3
MOST_ROUNDS = 200


@dataclass
class Curve:
    task: str
    amount: str
    unit: str
    bar: float
    points: list[tuple[int, float]] = field(default_factory=list)

    @property
    def exponent(self) -> float:
        """Return the slope with both axes logarithmic.

        Fixed costs hide the growth at small amounts, so only the end of the curve counts. What must
        not grow is compared over the whole curve, where noise counts less.
        """
        last = self.points[-1]
        earlier = [point for point in self.points if 5 * point[0] <= last[0]]
        return _slope(earlier[0] if self.bar == CONSTANT else earlier[-1], last)

    def result(self) -> Result:
        claim = f"growth of {self.task} with {self.amount}"
        return Result(claim, self.exponent, self.bar, "as exponent")

    def newest(self) -> str:
        size, value = self.points[-1]
        return f"{self.task} with {size:,} {self.amount}: {value:.3g} {self.unit}"

    def row(self) -> str:
        values = ", ".join(f"{size:,}: {value:.3g}" for size, value in self.points)
        return f"| {self.task} | {self.amount} | {values} {self.unit} | {self.exponent:.2f} |"


def _slope(before: tuple[int, float], after: tuple[int, float]) -> float:
    (small, cheap), (large, dear) = before, after
    return math.log(dear / cheap) / math.log(large / small)


class Curves:
    """The curves of one service, each with one point per amount."""

    def __init__(self, amount: str) -> None:
        self._amount = amount
        self._curves: dict[str, Curve] = {}

    def add(self, task: str, size: int, value: float, unit: str, bar: float) -> None:
        curve = self._curves.setdefault(task, Curve(task, self._amount, unit, bar))
        # Zero has no logarithm, and nothing is measured more precisely than this.
        curve.points.append((size, max(value, 1e-3)))

    def add_request(
        self, task: str, size: int, pid: int, request: Callable[[], object], bar: float
    ) -> None:
        self.add(task, size, 1000 * cpu_seconds_each(pid, request), "CPU-ms", bar)

    def all(self) -> list[Curve]:
        return list(self._curves.values())


def cpu_seconds_each(pid: int, request: Callable[[], object]) -> float:
    """Return the CPU time of the server for one request, from as many as make it measurable."""
    request()
    settle(pid)
    before, rounds = cpu_seconds(pid), 0
    while rounds < MOST_ROUNDS and cpu_seconds(pid) - before < LEAST_CPU_SECONDS:
        request()
        rounds += 1
    return (cpu_seconds(pid) - before) / rounds


def settle(pid: int) -> None:
    """Wait until work after the start or after a change is done."""
    while True:
        before = cpu_seconds(pid)
        time.sleep(0.5)
        if cpu_seconds(pid) - before <= 0.02:
            return
