"""The world is round and the map is not: what lies across its edges."""

import numpy as np

from quartet.wind.basemap.world.shapes import Points, Shapes

# A little more than any tile needs beyond the edge of the map.
BEYOND = 0.02


def around_the_pole(ring: Points) -> Points:
    """A coast that goes once around the world encloses a pole, which is beyond the map."""
    turns = round(float(ring[-1, 0] - ring[0, 0]))
    if not turns:
        return ring
    pole = 1 + BEYOND if ring[:, 1].mean() > 0.5 else -BEYOND
    west, east = ring[0, 0], ring[0, 0] + turns
    closing = [(east, ring[0, 1]), (east, pole), (west, pole)]
    return np.concatenate([ring, np.array(closing)])


def on_every_side(shapes: Shapes) -> Shapes:
    """What crosses the date line is there twice, once at each edge."""
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
