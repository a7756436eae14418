"""Line simplification after Douglas and Peucker, precomputed for all scales."""

import numpy as np

from quartet.wind.basemap.world.shapes import Points


def importance(line: Points, finest: float) -> Points:
    """Return the error of leaving out each point; 0 if it is below `finest`."""
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
        result[middle] = distances[at]
        waiting += [(first, middle), (middle, last)]
    return result


def simplify(line: Points, important: Points, coarsest: float | Points) -> Points:
    return line[important >= coarsest]


def _distances(points: Points, start: Points, end: Points) -> Points:
    """Return distances from the line, or from its start if it is closed."""
    across = end - start
    length = float(np.hypot(*across))
    away = points - start
    if length == 0:
        return np.asarray(np.hypot(away[:, 0], away[:, 1]))
    return np.asarray(np.abs(away[:, 0] * across[1] - away[:, 1] * across[0]) / length)
