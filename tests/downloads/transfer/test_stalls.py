"""Connections that send too little are given up after 30 seconds."""

import pytest

from quartet.downloads.transfer.stalls import StallDetector
from quartet.downloads.transfer.types import Timeouts

FAST = 1_000_000


def seconds_until_stalled(speeds: list[int]) -> float | None:
    """Receive this many bytes in each second; return when the connection counts as stalled."""
    detector, received = StallDetector(0, 0), 0
    for second, speed in enumerate(speeds, start=1):
        received += speed
        if detector.stalled(second, received, Timeouts()) is not None:
            return second
    return None


@pytest.mark.parametrize(
    ("speeds", "wanted"),
    [
        ([FAST] * 100, None),
        ([100] * 100, None),
        ([0] * 100, 30),
        ([10] * 100, 30),
        # The last byte arrives after 1, 29 and 45 seconds.
        ([FAST] + [0] * 100, 31),
        ([FAST] * 29 + [0] * 100, 59),
        ([FAST] * 45 + [0] * 100, 75),
        ([FAST, *[0] * 29] * 4, None),
    ],
)
def test_stall_is_detected_30_seconds_after_the_last_byte(
    speeds: list[int], wanted: float | None
) -> None:
    assert seconds_until_stalled(speeds) == wanted


def test_paused_connection_is_not_stalled() -> None:
    detector = StallDetector(0, 0)
    detector.restart(100, 5)
    assert detector.stalled(129, 5, Timeouts()) is None
    assert detector.stalled(130, 5, Timeouts()) == 30
