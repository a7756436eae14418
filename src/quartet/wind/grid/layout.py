"""The file layout of a stored model run.

A file is a sequence of blocks of eight steps. Within a block all steps of a point are adjacent, so
the series of a point is read from a few pages, and one step of the whole map from one block only.
Measured for ICON-EU against a plain point-major layout: a series costs the same, a step of the map
a tenth.
"""

from pathlib import Path

import msgspec

from quartet.wind.grid.geometry import Grid

# In the order of the file. Runs of older releases have the wind only.
WIND_CHANNELS = ("u", "v", "gust")
CHANNELS = (*WIND_CHANNELS, "temperature", "precipitation", "cloud", "pressure")
# Of wave models: metres, seconds, and degrees the waves come from, less 180.
WAVE_CHANNELS = ("height", "period", "direction")
SWELL_CHANNELS = (*WAVE_CHANNELS, "swell_height", "swell_period", "swell_direction")
# Of ensembles: the wind speeds in knots below which these shares of the members are.
ENSEMBLE_SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
ENSEMBLE_CHANNELS = ("p10", "p25", "p50", "p75", "p90")
DIRECTION_BASE = 180.0
STEPS_PER_BLOCK = 8
# Hundredths reach 327, so all channels have the same scale. The units are knots, degrees Celsius,
# 5 mm of precipitation since the start of the run, percent of the sky, and hPa above 1000.
SCALE = 0.01
PRECIPITATION_UNIT = 5.0
PRESSURE_BASE = 1000.0
NO_DATA = -32768

HEADER_NAME = "run.json"
VALUES_NAME = "values.i16"


class CellGrid(msgspec.Struct, frozen=True):
    """An unstructured grid: `key` identifies its mesh file, `count` is its number of cells."""

    key: str
    count: int


class Header(msgspec.Struct, frozen=True, rename="camel"):
    """Describe a run: `run` and `written` are Unix seconds, `steps` are hours after the run.

    `grid` holds the values, unless `cells` is set: then it is the raster of the map only.
    `partial` is set if the provider published fewer steps than expected.
    """

    model: str
    run: int
    steps: tuple[int, ...]
    grid: Grid
    written: int
    unit: str = "kn"
    scale: float = SCALE
    no_data: int = NO_DATA
    channels: tuple[str, ...] = WIND_CHANNELS
    steps_per_block: int = STEPS_PER_BLOCK
    cells: CellGrid | None = None
    partial: bool = False

    @property
    def points(self) -> int:
        return self.grid.points if self.cells is None else self.cells.count

    @property
    def has_waves(self) -> bool:
        return self.channels[0] == WAVE_CHANNELS[0]

    @property
    def is_ensemble(self) -> bool:
        return self.channels == ENSEMBLE_CHANNELS

    @property
    def has_wind(self) -> bool:
        """Whether it is a model of wind, neither of waves nor an ensemble."""
        return self.channels[0] == WIND_CHANNELS[0]

    @property
    def blocks(self) -> int:
        return -(-len(self.steps) // self.steps_per_block)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        return self.blocks, self.points, len(self.channels), self.steps_per_block

    @property
    def block_size(self) -> int:
        """Bytes of one block."""
        _, points, channels, steps = self.shape
        return points * channels * steps * 2

    @property
    def size(self) -> int:
        return self.blocks * self.block_size

    @property
    def supported(self) -> bool:
        """Whether the file has the layout that this release reads."""
        known = self.channels in (
            WIND_CHANNELS,
            CHANNELS,
            WAVE_CHANNELS,
            SWELL_CHANNELS,
            ENSEMBLE_CHANNELS,
        )
        return known and (self.unit, self.scale, self.no_data, self.steps_per_block) == (
            "kn",
            SCALE,
            NO_DATA,
            STEPS_PER_BLOCK,
        )


def mesh_path(folder: Path, cells: CellGrid) -> Path:
    """Return the mesh file in the folder that holds the folders of the models."""
    return folder / f"{cells.key}.mesh"


def land_path(folder: Path, model: str, grid: Grid, cells: CellGrid | None) -> Path:
    """Return the file that says which points of a grid are land; it is next to the meshes."""
    if cells is not None:
        return folder / f"{cells.key}.land"
    return folder / f"{model}-{grid.nx}x{grid.ny}-{grid.west:g}-{grid.south:g}.land"


# Created at import: msgspec crashes if several threads create the decoder of a type at once.
_decode = msgspec.json.Decoder(Header).decode


def read_header(folder: Path) -> Header:
    try:
        return _decode((folder / HEADER_NAME).read_bytes())
    except msgspec.MsgspecError as error:
        raise ValueError(f"{folder / HEADER_NAME}: {error}") from error


def write_header(folder: Path, header: Header) -> None:
    (folder / HEADER_NAME).write_bytes(msgspec.json.encode(header))
