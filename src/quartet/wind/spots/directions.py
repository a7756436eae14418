"""Checks wind directions against sectors."""

from collections.abc import Sequence

from quartet.wind.spots.types import Sector


def width(sector: Sector) -> int:
    """Return the width of a sector in degrees; it may span north."""
    return 360 if sector.end - sector.start == 360 else (sector.end - sector.start) % 360


def is_within(sectors: Sequence[Sector], direction: float | None) -> bool:
    """Return whether the direction is in a sector; any direction is if there are no sectors."""
    if not sectors:
        return True
    if direction is None:
        return False
    return any((direction - sector.start) % 360 <= width(sector) for sector in sectors)
