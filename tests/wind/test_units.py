"""Units in messages, calendars and widgets."""

import pytest

from quartet.wind.units import WindUnit, wind_number, wind_text


@pytest.mark.parametrize(
    ("knots", "unit", "shown"),
    [
        (12.5, "kn", "13"),
        (10.0, "ms", "5"),
        (24.3, "kmh", "45"),
        (20.0, "mph", "23"),
        (0.4, "bft", "0"),
        (10.6, "bft", "4"),
        (33.4, "bft", "7"),
        (90.0, "bft", "12"),
    ],
)
def test_wind_is_rounded_as_on_the_pages(knots: float, unit: WindUnit, shown: str) -> None:
    assert wind_number(knots, unit) == shown


def test_range_whose_ends_are_shown_alike_is_one_number() -> None:
    assert wind_text(15, 20, "kmh") == "28-37 km/h"
    assert wind_text(17, 21, "bft") == "5 Bft"
