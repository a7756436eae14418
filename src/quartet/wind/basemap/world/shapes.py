"""Shape types in map coordinates: x from west to east, y from north to south, 0 to 1."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Points of a line, or of a ring without a repeated last point; shape (n, 2).
Points = NDArray[np.float64]
# An outline and its holes.
Polygon = list[Points]


class Shapes(NamedTuple):
    land: list[Polygon]
    borders: list[Points]
