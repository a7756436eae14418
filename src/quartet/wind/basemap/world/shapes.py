"""Kinds of shapes, in the square of the map: x from west to east, y from north to south, 0 to 1."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Corners of a line, or of a ring whose last corner is joined to its first; shaped (n, 2).
Points = NDArray[np.float64]
# An outline and its holes.
Polygon = list[Points]


class Shapes(NamedTuple):
    land: list[Polygon]
    borders: list[Points]
