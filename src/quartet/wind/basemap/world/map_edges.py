"""Shapes that cross the edges of the map."""

import numpy as np

from quartet.wind.basemap.world.shapes import Points, Shapes

# Slightly more than any tile needs beyond the edge of the map.
BEYOND = 0.02


def close_at_pole(ring: Points) -> Points:
    """Close a coastline around the whole world (Antarctica) at the pole, outside of the map."""
    turns = round(float(ring[-1, 0] - ring[0, 0]))
    if not turns:
        return ring
    pole = 1 + BEYOND if ring[:, 1].mean() > 0.5 else -BEYOND
    west, east = ring[0, 0], ring[0, 0] + turns
    closing = [(east, ring[0, 1]), (east, pole), (west, pole)]
    return np.concatenate([ring, np.array(closing)])


def duplicate_at_edges(shapes: Shapes) -> Shapes:
    """Duplicate shapes that cross the date line, one copy at each edge."""
    land = [
        [ring + np.array((shift, 0)) for ring in polygon]
        for polygon in shapes.land
        for shift in _shifts(polygon[0])
    ]
    borders = [line + np.array((shift, 0)) for line in shapes.borders for shift in _shifts(line)]
    return Shapes(land, borders)


def _shifts(points: Points) -> list[int]:
    west, east = points[:, 0].min(), points[:, 0].max()
    return [shift for shift in (-1, 0, 1) if west + shift < 1 + BEYOND and east + shift > -BEYOND]
