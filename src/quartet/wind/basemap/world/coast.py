"""Simplifies shorelines for each zoom level, less where the map is detailed."""

import numpy as np
from numpy.typing import NDArray

from quartet.wind.basemap.world.osm_land import on_map
from quartet.wind.basemap.world.place_names import DETAILED
from quartet.wind.basemap.world.shapes import Points, Polygon
from quartet.wind.basemap.world.simplification import importance, simplify
from quartet.wind.basemap.world.vector_tile import EXTENT

# Tolerance of simplified lines in tile units; eight units are one pixel.
_TOLERANCE, _FINEST_TOLERANCE = 4.0, 1.2
# Outside of the detailed area, in units of the last level.
_COARSE_TOLERANCE = 12.0
# Islands and lakes smaller than this are left out, in tile units.
_SMALLEST = 3.0


class Coast:
    """Land with the importance of each point, from which any zoom level is simplified."""

    def __init__(self, land: list[Polygon], max_zoom: int) -> None:
        self._max_zoom = max_zoom
        self._unit = 1 / EXTENT / (1 << max_zoom)
        (west, north), (east, south) = on_map(
            np.array([(DETAILED[0], DETAILED[3]), (DETAILED[2], DETAILED[1])])
        ).tolist()
        self._detailed = west, north, east, south
        self._land: list[Polygon] = []
        self._sizes: list[float] = []
        self._weights: list[list[Points]] = []
        for polygon in land:
            size = float(np.ptp(polygon[0], axis=0).max())
            detailed = bool(self._is_detailed(polygon[0]).any())
            if size >= self._unit * (_SMALLEST if detailed else _COARSE_TOLERANCE):
                finest = self._unit * (_FINEST_TOLERANCE if detailed else _COARSE_TOLERANCE)
                self._land.append(polygon)
                self._sizes.append(size)
                self._weights.append([_ring_importance(ring, finest) for ring in polygon])

    def polygons(self, z: int) -> list[Polygon]:
        smallest = _SMALLEST / EXTENT / (1 << z)
        return [
            rings
            for number, size in enumerate(self._sizes)
            if size >= smallest and (rings := self._simplified(number, z))
        ]

    def _simplified(self, number: int, z: int) -> Polygon:
        rings = [
            simplify(ring, weights, self._tolerances(ring, z))
            for ring, weights in zip(self._land[number], self._weights[number], strict=True)
        ]
        if len(rings[0]) < 3:
            return []
        return [rings[0], *(hole for hole in rings[1:] if len(hole) > 2)]

    def _tolerances(self, ring: Points, z: int) -> Points:
        fine = tolerance(z, self._max_zoom)
        coarse = max(fine, _COARSE_TOLERANCE * self._unit)
        return np.where(self._is_detailed(ring), fine, coarse)

    def _is_detailed(self, ring: Points) -> NDArray[np.bool_]:
        west, north, east, south = self._detailed
        x, y = ring.T
        return np.asarray((x >= west) & (x <= east) & (y >= north) & (y <= south))


def _ring_importance(ring: Points, finest: float) -> Points:
    """Return the importance of the points of a ring, of which at least three are kept."""
    # The line is closed for the computation, because both of its ends are always kept.
    return importance(np.concatenate([ring, ring[:1]]), finest)[:-1]


def tolerance(z: int, max_zoom: int) -> float:
    # The last level is also used for higher zoom levels.
    units = _FINEST_TOLERANCE if z == max_zoom else _TOLERANCE
    return units / EXTENT / (1 << z)
