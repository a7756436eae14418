"""Which points of a line matter at which scale, after Douglas and Peucker."""

import numpy as np

from quartet.wind.basemap.world.shapes import Points


def importance(line: Points, finest: float) -> Points:
    """How far a line would be off without each point; what is below the finest is left at zero."""
    result = np.zeros(len(line))
    result[[0, -1]] = np.inf
    waiting = [(0, len(line) - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        distances = _distances(line[first + 1 : last], line[first], line[last])
        at = int(distances.argmax())
        if distances[at] < finest:
            continue
        middle = first + 1 + at
        # Never more than the point that made it one to look at: a coarse line keeps fewer.
        result[middle] = distances[at]
        waiting += [(first, middle), (middle, last)]
    return result


def thinned(line: Points, important: Points, coarsest: float) -> Points:
    return line[important >= coarsest]


def _distances(points: Points, start: Points, end: Points) -> Points:
    """From the straight line; of an island, which ends where it begins, from there."""
    across = end - start
    length = float(np.hypot(*across))
    away = points - start
    if length == 0:
        return np.asarray(np.hypot(away[:, 0], away[:, 1]))
    return np.asarray(np.abs(away[:, 0] * across[1] - away[:, 1] * across[0]) / length)
