"""Types of numeric arrays."""

import numpy as np
from numpy.typing import NDArray

# As stored: hundredths of the unit of a channel.
Int16s = NDArray[np.int16]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
