"""The numbers in a texture, and its encoding."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from PIL import Image

from quartet.wind.basemap.png import write_png
from quartet.wind.grid.arrays import Int16s
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.grid.layout import NO_DATA
from quartet.wind.map.pieces import PIECES
from quartet.wind.map.textures import edges_of, pixels_of, window_of
from quartet.wind.map.types import Channel

EVERY_NUMBER = st.integers(-32768, 32767)
SHAPES = st.tuples(st.integers(1, 6), st.integers(1, 6))


def known(pixels: NDArray[np.uint8], channel: Channel, at: int) -> NDArray[np.float64]:
    """Knots, with the southernmost row first as in the store."""
    return channel.offset + channel.scale * pixels[::-1, :, at].astype(np.float64)


@given(arrays.arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(4))))
def test_other_png_reader_sees_the_same_pixels(pixels: NDArray[np.uint8]) -> None:
    image = Image.open(io.BytesIO(write_png(pixels)))
    assert image.mode == "RGBA" and "gamma" not in image.info
    assert np.array_equal(np.asarray(image), pixels)


@given(SHAPES.flatmap(lambda shape: arrays.arrays(np.int16, (3, *shape), elements=EVERY_NUMBER)))
def test_texture_is_accurate_to_half_a_level(field: Int16s) -> None:
    pixels, channels = pixels_of(field)
    nothing = (field[0] == NO_DATA) | (field[1] == NO_DATA)
    assert np.array_equal(pixels[::-1, :, 3], np.where(nothing, 0, 255))
    for at, channel in enumerate((channels.u, channels.v, channels.gust)):
        told = ~nothing & (field[at] != NO_DATA)
        assert np.array_equal(pixels[::-1, :, at] > 0, told)
        if channel is not None:
            off = np.abs(known(pixels, channel, at) - field[at] / 100)[told]
            assert (off <= channel.scale * 0.51).all()


def test_hour_without_gusts_has_no_gust_channel() -> None:
    field = np.full((3, 2, 2), 500, np.int16)
    field[2] = NO_DATA
    pixels, channels = pixels_of(field)
    assert channels.gust is None
    assert (pixels[..., 2] == 0).all() and (pixels[..., 3] == 255).all()


def test_bounds_are_the_edges_of_the_outer_cells() -> None:
    assert edges_of(Grid(-23.5, 29.5, 0.0625, 0.0625, 1377, 657)) == Area(
        -23.53125, 29.46875, 62.53125, 70.53125
    )


@pytest.mark.parametrize("step", [0.125, 0.25, 2.0, 2.5, 10.0])
def test_pieces_cover_the_world_and_share_their_borders(step: float) -> None:
    world = Grid.world(step)
    rows, columns = np.zeros(world.ny, bool), np.zeros(world.nx, bool)
    for area in PIECES.values():
        window = window_of(world, area)
        assert window.grid.area.holds(area, 0) and not window.grid.wraps
        assert len(window.columns) == window.grid.nx
        assert window.rows.stop - window.rows.start == window.grid.ny
        rows[window.rows] = True
        columns[window.columns] = True
    assert rows.all() and columns.all()


def test_last_piece_continues_across_the_date_line() -> None:
    window = window_of(Grid.world(10.0), PIECES["135_45_180_90"])
    assert list(window.columns) == [31, 32, 33, 34, 35, 0]
    assert window.grid.west == 130
