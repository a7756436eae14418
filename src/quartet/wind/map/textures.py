"""Convert the stored numbers of an hour to an image for the graphics card."""

from math import ceil, floor
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quartet.wind.basemap.png import write_png
from quartet.wind.grid.arrays import Int16s
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.grid.layout import NO_DATA, PRECIPITATION_UNIT, PRESSURE_BASE, SCALE
from quartet.wind.grid.reading import StoredRun
from quartet.wind.map.types import Channel, LayerMeta, Meta, TextureChannels, channel_of

# Byte 0 means no value; the others cover the range from the lowest value to the highest.
_LEVELS = 254
_ONE = 1 << 24
# Points by which waves are continued on land.
_BEYOND_COAST = 2


class Window(NamedTuple):
    """The rows and columns of a grid that cover an area, including those on its border."""

    rows: slice
    columns: NDArray[np.intp]
    grid: Grid


# Rows and columns of a grid.
Part = tuple[slice, slice | NDArray[np.intp]]


class Texture(NamedTuple):
    png: bytes
    meta: bytes

    @property
    def size(self) -> int:
        return len(self.png) + len(self.meta)


def texture_of(run: StoredRun, step: int, area: Area | None, layer: str = "") -> Texture:
    """Make the texture of the whole grid, or of an area of a grid around the world.

    Without a layer it is that of the wind.
    """
    grid = run.header.grid
    part: Part = slice(None), slice(None)
    if area is not None:
        rows, columns, grid = window_of(grid, area)
        part = rows, columns
    head = (run.model, run.run, step, run.run + step * 3600)
    shape = (grid.nx, grid.ny, edges_of(grid), grid.wraps)
    meta: Meta | LayerMeta
    if layer:
        pixels, channel = layer_pixels(layer, layer_field(run, step, layer, part))
        meta = LayerMeta(*head, *shape, layer, channel)
    else:
        pixels, channels = pixels_of(run.field(step, *part))
        meta = Meta(*head, *shape, channels)
    return Texture(write_png(pixels), msgspec.json.encode(meta))


def layer_field(run: StoredRun, step: int, layer: str, part: Part) -> Int16s:
    """Return the numbers of a layer in hundredths; precipitation per hour before the step."""
    numbers = run.channel(step, channel_of(layer), *part)
    if layer == "waves":
        return widened(numbers)
    if layer != "precipitation":
        return numbers
    at = run.header.steps.index(step)
    if step == 0:
        return np.full_like(numbers, NO_DATA)
    before = run.header.steps[at - 1] if at > 0 else 0
    earlier = run.channel(before, layer, *part) if at > 0 else np.zeros_like(numbers)
    rate = numbers.astype(np.float32) - earlier
    rate *= PRECIPITATION_UNIT / (step - before)
    np.clip(np.rint(rate, out=rate), 0, 32767, out=rate)
    rate[(numbers == NO_DATA) | (earlier == NO_DATA)] = NO_DATA
    return rate.astype(np.int16)


def widened(numbers: Int16s) -> Int16s:
    """Give points on land next to the sea the highest waves of their neighbours.

    The map covers them with its land, so that the waves end at the coast instead of in steps.
    """
    found = numbers.copy()
    for _ in range(_BEYOND_COAST):
        padded = np.pad(found, 1, mode="edge")
        rows, columns = found.shape
        around = [padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)]
        found = np.where(found == NO_DATA, np.maximum.reduce(around), found)
    return found


def layer_pixels(layer: str, numbers: Int16s) -> tuple[NDArray[np.uint8], Channel]:
    """Return RGBA with the northernmost row first."""
    numbers = np.ascontiguousarray(numbers[::-1])
    pixels = np.zeros(numbers.shape, "<u4")
    added = _add(pixels, numbers, 0)
    channel = added.channel if added else Channel(SCALE, 0.0)
    pixels |= np.uint32(255 << 24)
    if added is None or added.gaps:
        pixels[numbers == NO_DATA] = 0
    base = PRESSURE_BASE if layer == "pressure" else 0.0
    return pixels.view(np.uint8).reshape(*pixels.shape, 4), Channel(
        channel.scale, round(channel.offset + base, 9)
    )


def pixels_of(field: Int16s) -> tuple[NDArray[np.uint8], TextureChannels]:
    """Return RGBA with the northernmost row first; rows of u, v and gust start in the south."""
    field = field[:, ::-1]
    # A pixel is one number until the end: writing every fourth byte is four times slower.
    pixels = np.zeros(field.shape[1:], "<u4")
    u, v, gust = (_add(pixels, numbers, 8 * at) for at, numbers in enumerate(field))
    pixels |= np.uint32(255 << 24)
    for channel, numbers in ((u, field[0]), (v, field[1])):
        if channel is None or channel.gaps:
            pixels[numbers == NO_DATA] = 0
    found = [each.channel if each else None for each in (u, v, gust)]
    nothing = Channel(SCALE, 0.0)
    channels = TextureChannels(found[0] or nothing, found[1] or nothing, found[2])
    return pixels.view(np.uint8).reshape(*pixels.shape, 4), channels


def window_of(grid: Grid, area: Area) -> Window:
    first = floor((area.w - grid.west) / grid.step_x)
    last = ceil((area.e - grid.west) / grid.step_x)
    low = max(floor((area.s - grid.south) / grid.step_y), 0)
    high = min(ceil((area.n - grid.south) / grid.step_y), grid.ny - 1)
    part = Grid(
        grid.west + first * grid.step_x,
        grid.south + low * grid.step_y,
        grid.step_x,
        grid.step_y,
        last - first + 1,
        high - low + 1,
    )
    return Window(slice(low, high + 1), np.arange(first, last + 1) % grid.nx, part)


def edges_of(grid: Grid) -> Area:
    west, south = grid.west - grid.step_x / 2, grid.south - grid.step_y / 2
    east, north = west + grid.nx * grid.step_x, south + grid.ny * grid.step_y
    return Area(round(west, 6), round(south, 6), round(east, 6), round(north, 6))


class _Added(NamedTuple):
    channel: Channel
    gaps: bool


def _add(pixels: NDArray[np.uint32], numbers: Int16s, shift: int) -> _Added | None:
    """Put a channel into its byte of each pixel; return None if it has no value at all."""
    highest, lowest = int(numbers.max()), int(numbers.min())
    if highest == NO_DATA:
        return None
    gaps = lowest == NO_DATA
    if gaps:
        lowest = int(numbers[numbers != NO_DATA].min())
    step = max((highest - lowest) / _LEVELS, 1.0)
    # Fixed-point arithmetic with the byte on top is several times faster than floats.
    factor = np.uint32(_ONE / step)
    above = numbers.view(np.uint16) - np.uint16(lowest % 65536)
    bytes_ = np.multiply(above, factor, dtype=np.uint32)
    bytes_ += np.uint32(_ONE + _ONE // 2)
    bytes_ >>= 24
    if gaps:
        bytes_[numbers == NO_DATA] = 0
    bytes_ <<= shift
    pixels |= bytes_
    return _Added(Channel(round(step * SCALE, 9), round((lowest - step) * SCALE, 9)), gaps)
