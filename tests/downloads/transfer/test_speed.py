"""The speed that is shown is that of the last seconds."""

from collections.abc import Iterable

from quartet.downloads.transfer.speed import SpeedMeter


def speeds(done: Iterable[int], seconds: float = 0.5) -> list[float]:
    """Return the speed after each measurement of the bytes that are done."""
    meter = SpeedMeter(0.0)
    shown = []
    for number, count in enumerate(done):
        meter.measure(number * seconds, count)
        shown.append(meter.value)
    return shown


def test_speed_of_a_server_that_sends_in_bursts_is_steady() -> None:
    # 1,000 bytes once a second, measured twice a second.
    shown = speeds(1000 * (number // 2) for number in range(40))
    assert {round(speed) for speed in shown[10:]} == {1000}


def test_speed_falls_to_zero_within_seconds_when_nothing_arrives() -> None:
    shown = speeds([*range(0, 10_000, 500), *([9_500] * 9)])
    assert shown[19] == 1000
    assert shown[-1] == 0


def test_speed_is_measured_from_the_start_when_a_download_begins_again() -> None:
    assert speeds([0, 500, 1000, 0, 100])[-2:] == [0, 200]


def test_bytes_since_the_last_measurement_are_counted() -> None:
    meter = SpeedMeter(0.0)
    assert meter.unmeasured(100) == 0
    meter.measure(1.0, 100)
    meter.measure(1.1, 150)
    assert meter.unmeasured(170) == 70
