"""The kinds of numbers that are handed around."""

import numpy as np
from numpy.typing import NDArray

# As they are stored: hundredths of a knot.
Int16s = NDArray[np.int16]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
