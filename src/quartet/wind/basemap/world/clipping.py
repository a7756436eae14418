"""Clips shapes at vertical or horizontal lines."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from quartet.wind.basemap.world.shapes import Points, Polygon


def clip_polygons(polygons: Iterable[Polygon], axis: int, low: float, high: float) -> list[Polygon]:
    result = []
    for rings in polygons:
        outline = _clip_ring(rings[0], axis, low, high)
        if outline is None:
            continue
        holes = (_clip_ring(hole, axis, low, high) for hole in rings[1:])
        result.append([outline, *(hole for hole in holes if hole is not None)])
    return result


def clip_lines(lines: Iterable[Points], axis: int, low: float, high: float) -> list[Points]:
    above = (part for line in lines for part in _pieces_beyond(line, axis, low, 1))
    return [part for line in above for part in _pieces_beyond(line, axis, high, -1)]


def _clip_ring(ring: Points, axis: int, low: float, high: float) -> Points | None:
    along = ring[:, axis]
    if along.min() >= low and along.max() <= high:
        return ring
    clipped = _ring_beyond(ring, axis, low, 1)
    if clipped is not None:
        clipped = _ring_beyond(clipped, axis, high, -1)
    return clipped


def _ring_beyond(ring: Points, axis: int, limit: float, side: int) -> Points | None:
    """Sutherland-Hodgman, for all corners at once."""
    inside = (ring[:, axis] - limit) * side >= 0
    if inside.all():
        return ring
    if not inside.any():
        return None
    following = np.roll(ring, -1, axis=0)
    crossing = np.flatnonzero(inside != np.roll(inside, -1))
    cuts = _cuts(ring[crossing], following[crossing], axis, limit)
    # An intersection follows the corner where its edge starts.
    order = np.concatenate([np.flatnonzero(inside), crossing + 0.5])
    points = np.concatenate([ring[inside], cuts])
    return np.asarray(points[np.argsort(order, kind="stable")])


def _pieces_beyond(line: Points, axis: int, limit: float, side: int) -> Iterator[Points]:
    inside = (line[:, axis] - limit) * side >= 0
    if inside.all():
        yield line
        return
    crossing = np.flatnonzero(inside[1:] != inside[:-1])
    cuts = _cuts(line[crossing], line[crossing + 1], axis, limit)
    # Pieces are alternately inside and outside, each from one intersection to the next.
    ends = [0, *(crossing + 1), len(line)]
    for at, (first, last) in enumerate(pairwise(ends)):
        if inside[first]:
            before, behind = cuts[at - 1 : at] if at else cuts[:0], cuts[at : at + 1]
            yield np.concatenate([before, line[first:last], behind])


def _cuts(starts: Points, ends: Points, axis: int, limit: float) -> Points:
    share = (limit - starts[:, axis]) / (ends[:, axis] - starts[:, axis])
    cuts = starts + (ends - starts) * share[:, None]
    cuts[:, axis] = limit
    return np.asarray(cuts)
