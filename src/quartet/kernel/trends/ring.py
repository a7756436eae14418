"""A ring buffer of values by time."""

from array import array
from math import isnan, nan

# Periods by which the clock may be corrected without losing the recorded values.
TOLERANCE = 5


class Ring:
    """The newest `room` values, one for each period of `step` seconds; NaN if there is none."""

    def __init__(self, step: int, room: int) -> None:
        self.step, self.room = step, room
        # The number of the newest period: Unix time divided by the step.
        self.last = 0
        self.values = array("f", [nan]) * room

    def put(self, period: int, value: float) -> None:
        if self.last - TOLERANCE <= period < self.last:
            return
        if period < self.last:
            # The clock was set back: the recorded values have no valid time.
            self.values = array("f", [nan]) * self.room
            self.last = period
        for skipped in range(max(self.last + 1, period - self.room + 1), period):
            self.values[skipped % self.room] = nan
        self.last = period
        self.values[period % self.room] = value

    def between(self, first: int, last: int) -> list[float | None]:
        """Return the values of these periods, including both."""
        return [self._at(period) for period in range(first, last + 1)]

    def mean(self, first: int, last: int) -> float:
        """Return the mean of the known values of these periods, or NaN."""
        known = [each for each in self.between(first, last) if each is not None]
        return sum(known) / len(known) if known else nan

    def _at(self, period: int) -> float | None:
        if not self.last - self.room < period <= self.last:
            return None
        value = self.values[period % self.room]
        return None if isnan(value) else value
