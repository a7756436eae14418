"""Single steps into the file of a run, from any process."""

from pathlib import Path

import numpy as np

from quartet.wind.grid.arrays import Int16s
from quartet.wind.grid.layout import VALUES_NAME, Header


def write_step(folder: Path, header: Header, step: int, fields: Int16s) -> None:
    """Puts u, v and gust of one hour where they belong; several processes may do so at once."""
    block, place = divmod(header.steps.index(step), header.steps_per_block)
    # Only one block is mapped, so that nobody's memory grows to the size of the file.
    mapped = np.memmap(
        folder / VALUES_NAME,
        np.dtype("<i2"),
        "r+",
        offset=block * (header.size // header.shape[0]),
        shape=header.shape[1:],
    )
    for channel, field in enumerate(fields):
        mapped[:, channel, place] = field
