"""Whether the wind comes from where it should."""

from collections.abc import Sequence

from quartet.wind.spots.types import Sector


def width(sector: Sector) -> int:
    """Degrees from one end to the other, over north where the second is the smaller one."""
    return 360 if sector.end - sector.start == 360 else (sector.end - sector.start) % 360


def is_within(sectors: Sequence[Sector], direction: float | None) -> bool:
    """No sectors are all; wind from nowhere fits into none."""
    if not sectors:
        return True
    if direction is None:
        return False
    return any((direction - sector.start) % 360 <= width(sector) for sector in sectors)
