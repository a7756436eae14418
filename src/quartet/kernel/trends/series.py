"""The recorded values of one figure."""

from math import isnan

from quartet.kernel.trends.ring import Ring
from quartet.kernel.trends.types import Span

SPANS: dict[Span, tuple[int, int]] = {"15m": (1, 900), "24h": (60, 1440), "30d": (3600, 720)}
PER_PERIOD = 60


class Series:
    """12 kB of memory. A minute is the mean of its seconds, and an hour that of its minutes."""

    def __init__(self) -> None:
        self.rings = {span: Ring(*size) for span, size in SPANS.items()}

    @property
    def newest(self) -> int:
        """The Unix time of the newest value."""
        return self.rings["15m"].last

    def put(self, second: int, value: float) -> None:
        seconds, minutes, hours = self.rings.values()
        before = seconds.last
        if before // 60 < second // 60:
            _complete(seconds, minutes, before // 60)
        if before // 3600 < second // 3600:
            _complete(minutes, hours, before // 3600)
        seconds.put(second, value)


def _complete(fine: Ring, coarse: Ring, period: int) -> None:
    """Derive the value of a completed period from its parts."""
    first = period * PER_PERIOD
    mean = fine.mean(first, first + PER_PERIOD - 1)
    if not isnan(mean):
        coarse.put(period, mean)
