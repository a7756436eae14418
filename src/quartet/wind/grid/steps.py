"""Store single steps of a run, and assemble them into the blocks of its file.

Which steps a run has is known only when the provider has stopped adding files. Until then every
step has a separate file; worker processes write several of them at the same time.
"""

import math
import os
from pathlib import Path

import numpy as np

from quartet.wind.grid.arrays import Int16s
from quartet.wind.grid.layout import NO_DATA, STEPS_PER_BLOCK, VALUES_NAME, Header

_CHUNK_POINTS = 8192


def write_step(folder: Path, _header: Header, step: int, fields: Int16s) -> None:
    """Write all channels of one step, shaped (channels, points)."""
    path = step_path(folder, step)
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        file.write(np.ascontiguousarray(fields, np.dtype("<i2")).data)
    part.replace(path)


def step_path(folder: Path, step: int) -> Path:
    return folder / f"{step}.step"


def stored_steps(folder: Path, header: Header) -> set[int]:
    """Return the steps of an unfinished run that are there; those of a power cut are deleted."""
    size = len(header.channels) * header.points * 2
    found = set()
    for path in folder.glob("*.step"):
        if path.stat().st_size == size:
            found.add(int(path.stem))
        else:
            path.unlink()
    return found


def split_block(run: Path, header: Header, block: int, folder: Path) -> None:
    """Write the steps of one block of a finished run into the folder of an unfinished one."""
    first = block * STEPS_PER_BLOCK
    shape = (header.points, len(header.channels), STEPS_PER_BLOCK)
    with (run / VALUES_NAME).open("rb") as file:
        file.seek(block * header.block_size)
        numbers: Int16s = np.fromfile(file, np.dtype("<i2"), math.prod(shape)).reshape(shape)
    for place, step in enumerate(header.steps[first : first + STEPS_PER_BLOCK]):
        write_step(folder, header, step, numbers[:, :, place].T)


def assemble_block(folder: Path, header: Header, block: int) -> None:
    """Move the steps of one block into the file of the run; a missing step has no data."""
    first = block * STEPS_PER_BLOCK
    steps = header.steps[first : first + STEPS_PER_BLOCK]
    shape = (STEPS_PER_BLOCK, len(header.channels), header.points)
    fields = np.empty(shape, np.dtype("<i2"))
    for place in range(STEPS_PER_BLOCK):
        path = step_path(folder, steps[place]) if place < len(steps) else None
        if path is not None and path.exists():
            with path.open("rb", buffering=0) as file:
                file.readinto(fields[place].data.cast("B"))
        else:
            fields[place] = NO_DATA
    descriptor = os.open(folder / VALUES_NAME, os.O_RDWR | os.O_CREAT, 0o644)
    # Not "wb", which would truncate what other processes have written.
    with open(descriptor, "r+b", buffering=0) as file:  # noqa: PTH123
        file.seek(block * header.block_size)
        # In chunks that fit the cache of a core: a transposed copy of all is many times slower.
        for first in range(0, header.points, _CHUNK_POINTS):
            by_point = np.ascontiguousarray(fields[:, :, first : first + _CHUNK_POINTS].T)
            remaining = by_point.data.cast("B")
            while remaining:
                remaining = remaining[file.write(remaining) :]
    for step in steps:
        step_path(folder, step).unlink(missing_ok=True)
