"""How the numbers of a run lie in its file.

A file is a row of blocks of eight hours. Within a block all hours of a point lie side by side, so
the series of a point is read from a few pages, and one hour of the whole map from one block only.
Measured for ICON-EU beside plain point-major: the series costs the same, a map hour a tenth.
"""

from pathlib import Path

import msgspec

from quartet.wind.grid.geometry import Grid

# In this order in the file.
CHANNELS = ("u", "v", "gust")
STEPS_PER_BLOCK = 8
# Hundredths of a knot reach to 327 knots: no field needs a scale of its own.
SCALE = 0.01
NO_DATA = -32768

HEADER_NAME = "run.json"
VALUES_NAME = "values.i16"


class Header(msgspec.Struct, frozen=True, rename="camel"):
    """Says what a run is; `run` and `written` are Unix seconds, `steps` hours after the run."""

    model: str
    run: int
    steps: tuple[int, ...]
    grid: Grid
    written: int
    unit: str = "kn"
    scale: float = SCALE
    no_data: int = NO_DATA
    channels: tuple[str, ...] = CHANNELS
    steps_per_block: int = STEPS_PER_BLOCK

    @property
    def shape(self) -> tuple[int, int, int, int]:
        blocks = -(-len(self.steps) // self.steps_per_block)
        return blocks, self.grid.points, len(self.channels), self.steps_per_block

    @property
    def size(self) -> int:
        blocks, points, channels, steps = self.shape
        return blocks * points * channels * steps * 2

    @property
    def understood(self) -> bool:
        """Whether it was written by a release that lays files out as this one does."""
        return (self.unit, self.scale, self.no_data, self.channels, self.steps_per_block) == (
            "kn",
            SCALE,
            NO_DATA,
            CHANNELS,
            STEPS_PER_BLOCK,
        )


# Made here: threads that read the first headers at the same time would each make their own, and
# msgspec does not survive that.
_decode = msgspec.json.Decoder(Header).decode


def read_header(folder: Path) -> Header:
    try:
        return _decode((folder / HEADER_NAME).read_bytes())
    except msgspec.MsgspecError as error:
        raise ValueError(f"{folder / HEADER_NAME}: {error}") from error


def write_header(folder: Path, header: Header) -> None:
    (folder / HEADER_NAME).write_bytes(msgspec.json.encode(header))
