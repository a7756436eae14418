"""The bundled world map: from shared borders to matching tiles."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from quartet.wind.basemap.archive import Archive, FileVersion
from quartet.wind.basemap.pmtiles import decompress
from quartet.wind.basemap.world.clipping import clip_lines, clip_polygons
from quartet.wind.basemap.world.shapes import Points, Shapes
from quartet.wind.basemap.world.simplification import importance, simplify
from quartet.wind.basemap.world.topojson import World
from quartet.wind.basemap.world.vector_tile import vector_tile
from quartet.wind.basemap.world_archive import build
from tests.wind.pmtiles_files import Part, parts_of

# Two countries on the equator sharing a border at 10 degrees east, and an island across the date
# line; in whole degrees, each point relative to the previous one.
TOPOLOGY = {
    "type": "Topology",
    "transform": {"scale": [1, 1], "translate": [0, 0]},
    "arcs": [
        [[10, -10], [0, 20]],
        [[10, 10], [-20, 0], [0, -20], [20, 0]],
        [[10, 10], [30, 0], [0, -20], [-30, 0]],
        [[170, 40], [20, 0], [0, 10], [-20, 0], [0, -10]],
    ],
    "objects": {
        "countries": {
            "type": "GeometryCollection",
            "geometries": [
                {"type": "Polygon", "arcs": [[0, 1]]},
                {"type": "MultiPolygon", "arcs": [[[~0, ~2]], [[3]]]},
            ],
        },
        "land": {
            "type": "GeometryCollection",
            "geometries": [{"type": "MultiPolygon", "arcs": [[[1, ~2]], [[3]]]}],
        },
    },
}


@pytest.fixture
def topology(tmp_path: Path) -> Path:
    path = tmp_path / "countries.json"
    path.write_text(json.dumps(TOPOLOGY))
    return path


def area(part: Part) -> float:
    return sum(
        x * next_y - next_x * y
        for (x, y), (next_x, next_y) in zip(part, part[1:] + part[:1], strict=True)
    )


def square(west: float, north: float, size: float) -> Points:
    corners = [(0, 0), (size, 0), (size, size), (0, size)]
    return np.asarray(np.array(corners, np.float64) + np.array((west, north)))


def size_of(ring: Points) -> float:
    x, y = ring.T
    return abs(float(np.dot(x, np.roll(y, -1)) - np.dot(np.roll(x, -1), y))) / 2


def test_shared_border_is_found_and_coast_is_not(topology: Path) -> None:
    world = World(topology)
    shapes = world.shapes(world.lines)
    (border,) = shapes.borders
    assert np.allclose(border[:, 0], 0.5 + 10 / 360)
    assert border[0, 1] > 0.5 > border[-1, 1]
    # The mainland, and the island once at each edge of the map.
    assert sorted(round(float(polygon[0][:, 0].min()), 3) for polygon in shapes.land) == [
        -0.028,
        0.472,
        0.972,
    ]


def test_world_tiles(topology: Path, tmp_path: Path) -> None:
    path = tmp_path / "world.pmtiles"
    path.write_bytes(build(topology, max_zoom=2))
    stamp = FileVersion.of(path)
    assert stamp is not None
    archive = Archive(stamp)
    assert archive.extent.layers == ["land", "borders"]
    assert archive.extent.attribution == "Natural Earth"
    whole = archive.tile(0, 0, 0)
    assert whole is not None and whole.gzipped
    parts = parts_of(decompress(whole.data, 2))
    assert len(parts["land"]) == 3 and len(parts["borders"]) == 1
    # Outlines are clockwise on screen.
    assert all(area(ring) > 0 for ring in parts["land"])
    east = {x for x, _ in parts["borders"][0]}
    assert east == {round(4096 * (0.5 + 10 / 360))}
    assert archive.tile(2, 0, 3) is None and archive.tile(2, 3, 1) is not None
    assert path.read_bytes() == build(topology, max_zoom=2)


def test_tile_inside_land_is_filled_with_margin() -> None:
    shapes = Shapes([[square(-1, -1, 3), square(0.25, 0.25, 0.5)]], [])
    outline, hole = parts_of(vector_tile(shapes, 0, 0, 0))["land"]
    assert area(outline) > 0 > area(hole)
    assert sorted(hole) == sorted([(1024, 1024), (3072, 1024), (3072, 3072), (1024, 3072)])


def test_invisibly_small_shapes_are_left_out() -> None:
    assert vector_tile(Shapes([[square(0.5, 0.5, 1e-6)]], [square(0.5, 0.5, 1e-6)]), 0, 0, 0) == b""


RINGS = arrays.arrays(
    np.float64, st.tuples(st.integers(3, 12), st.just(2)), elements=st.floats(0, 1, width=16)
)


@given(RINGS, st.integers(0, 1), st.floats(0.125, 0.875, width=16))
def test_clipped_ring_areas_add_up(ring: Points, axis: int, at: float) -> None:
    def signed(ring: Points) -> float:
        x, y = ring.T
        return float(np.dot(x, np.roll(y, -1)) - np.dot(np.roll(x, -1), y))

    parts = clip_polygons([[ring]], axis, -1, at) + clip_polygons([[ring]], axis, at, 2)
    assert sum(signed(part[0]) for part in parts) == pytest.approx(signed(ring), abs=1e-9)
    low = clip_polygons([[ring]], axis, -1, at)
    assert all((polygon[0][:, axis] <= at).all() for polygon in low)


def test_line_is_split_where_it_leaves_the_area() -> None:
    zigzag = np.array([(0.0, 0.0), (2, 0), (2, 1), (0, 1), (0, 2), (2, 2)])
    pieces = clip_lines([zigzag], 0, -1, 1)
    assert [piece.tolist() for piece in pieces] == [
        [[0, 0], [1, 0]],
        [[1, 1], [0, 1], [0, 2], [1, 2]],
    ]
    assert clip_lines([zigzag], 0, 3, 4) == []


def test_simplification_keeps_visible_points() -> None:
    line = np.array([(0.0, 0.0), (1, 0.001), (2, 0), (3, 1), (4, 0)])
    weights = importance(line, 0.0001)
    assert simplify(line, weights, 0.1).tolist() == [[0, 0], [2, 0], [3, 1], [4, 0]]
    assert len(simplify(line, weights, 0.0005)) == 5
    island = np.concatenate([square(0, 0, 1), [(0, 0)]])
    assert size_of(simplify(island, importance(island, 0.01), 0.01)[:-1]) == 1
