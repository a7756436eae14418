"""The bundled world map: from shared borders to matching tiles."""

import json
import math
import random
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from quartet.wind.basemap.archive import Archive, FileVersion
from quartet.wind.basemap.archive_writer import ArchiveInfo, write_archive
from quartet.wind.basemap.lakes_archive import build_lakes
from quartet.wind.basemap.pmtiles import decompress
from quartet.wind.basemap.service import BASEMAP, BUILT_IN, LAKES
from quartet.wind.basemap.world.clipping import clip_lines, clip_polygons
from quartet.wind.basemap.world.osm_land import read_land
from quartet.wind.basemap.world.shapes import Points, Shapes
from quartet.wind.basemap.world.simplification import importance, simplify
from quartet.wind.basemap.world.topojson import read_borders
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


def wkb(*polygons: list[list[tuple[float, float]]]) -> bytes:
    """Encode polygons of rings in degrees as a multipolygon."""
    parts = [struct.pack("<BII", 1, 6, len(polygons))]
    for rings in polygons:
        parts.append(struct.pack("<BII", 1, 3, len(rings)))
        for ring in rings:
            closed = [*ring, ring[0]]
            parts.append(struct.pack("<I", len(closed)))
            parts += [struct.pack("<dd", *point) for point in closed]
    return b"".join(parts)


def town(number: int, name: str, lat: float, lon: float, population: int) -> str:
    fields = [str(number), name, name, "", str(lat), str(lon), "P", "PPL", "DE", "", "10"]
    return "\t".join([*fields, "", "", "", str(population), "", "", "Europe/Berlin", ""])


MAINLAND = [(-10.0, -10.0), (40.0, -10.0), (40.0, 10.0), (-10.0, 10.0)]
LAKE = [(20.0, 0.0), (22.0, 0.0), (22.0, 2.0), (20.0, 2.0)]


@pytest.fixture
def land(tmp_path: Path) -> Path:
    path = tmp_path / "land.wkb"
    islet = [(100.0, 0.0), (100.0001, 0.0), (100.0001, 0.0001)]
    path.write_bytes(wkb([MAINLAND, LAKE], [islet]))
    return path


@pytest.fixture
def cities(tmp_path: Path) -> Path:
    path = tmp_path / "cities500.txt"
    rows = [
        town(1, "Strande", 54.43, 10.17, 1500),
        town(2886242, "Köln", 50.93, 6.95, 3_000_000),
        town(4, "Deutz", 50.94, 6.97, 1_500_000),
        town(3, "Farpoint", 0.0, -60.0, 1500),
    ]
    path.write_text("\n".join(rows))
    return path


def test_shared_border_is_found_and_coast_is_not(topology: Path) -> None:
    (border,) = read_borders(topology)
    assert np.allclose(border[:, 0], 0.5 + 10 / 360)
    assert border[0, 1] > 0.5 > border[-1, 1]


def test_land_is_read_with_its_lakes(land: Path, topology: Path) -> None:
    mainland, _islet = read_land(land)
    assert [len(ring) for ring in mainland] == [4, 4]
    assert mainland[0][0].tolist() == pytest.approx([0.5 - 10 / 360, 0.528], abs=1e-3)
    with pytest.raises(ValueError, match="not a multipolygon"):
        read_land(topology)


def test_world_tiles(topology: Path, land: Path, cities: Path, tmp_path: Path) -> None:
    path = tmp_path / "world.pmtiles"
    path.write_bytes(build(topology, land, cities, max_zoom=4))
    stamp = FileVersion.of(path)
    assert stamp is not None
    archive = Archive(stamp)
    assert archive.extent.layers == ["land", "borders", "places"]
    assert "OpenStreetMap" in archive.extent.attribution
    whole = archive.tile(0, 0, 0)
    assert whole is not None and whole.gzipped
    parts = parts_of(decompress(whole.data, 2))
    # The outline and its lake; the islet is too small.
    assert [area(ring) > 0 for ring in parts["land"]] == [True, False]
    assert len(parts["borders"]) == 1 and "places" not in parts
    east = {x for x, _ in parts["borders"][0]}
    assert east == {round(4096 * (0.5 + 10 / 360))}
    assert archive.tile(2, 0, 3) is None and archive.tile(2, 2, 1) is not None
    assert path.read_bytes() == build(topology, land, cities, max_zoom=4)
    north_sea = archive.tile(4, 8, 5)
    assert north_sea is not None
    data = decompress(north_sea.data, 2)
    # The large town has two names. Its part is shown like a village, which is only named where the
    # map is detailed.
    assert all(name in data for name in (b"Cologne", "Köln".encode(), b"Strande", b"Deutz"))
    earlier = archive.tile(3, 4, 2)
    assert earlier is not None
    data = decompress(earlier.data, 2)
    assert b"Cologne" in data and b"Deutz" not in data
    assert not any(
        b"Farpoint" in decompress(tile.data, 2)
        for x in range(16)
        for y in range(16)
        if (tile := archive.tile(4, x, y))
    )


def test_lakes_are_built_from_gshhg(tmp_path: Path) -> None:
    def ring(number: int, level: int, lon: float, lat: float, size: float, inside: int) -> bytes:
        corners = [(0.0, 0.0), (size, 0.0), (size, size), (0.0, size), (0.0, 0.0)]
        points = [((lon + x) % 360, lat + y) for x, y in corners]
        head = struct.pack(">11i", number, 5, level, 0, 0, 0, 0, 0, 0, inside, -1)
        return head + b"".join(
            struct.pack(">ii", round(x * 1e6), round(y * 1e6)) for x, y in points
        )

    source, target = tmp_path / "gshhs_f.b", tmp_path / "maps" / "lakes.pmtiles"
    source.write_bytes(
        ring(0, 1, -10, 40, 40, -1)
        # Across Greenwich, with an island.
        + ring(1, 2, -0.5, 47, 1, 0)
        + ring(2, 3, -0.2, 47.3, 0.3, 1)
    )
    assert build_lakes(source, target) == 1
    stamp = FileVersion.of(target)
    assert stamp is not None
    tile = Archive(stamp).tile(4, 7, 5)
    assert tile is not None
    lake, island = parts_of(decompress(tile.data, 2))["land"]
    assert area(lake) > 0 > area(island)
    for broken in (b"", source.read_bytes()[:-9], ring(0, 1, -10, 40, 40, -1)):
        source.write_bytes(broken)
        with pytest.raises(ValueError, match=r"lakes|truncated"):
            build_lakes(source, target)


def test_many_tiles_are_found_through_leaf_directories(tmp_path: Path) -> None:
    # Of random sizes, so that the directory does not shrink much.
    chance = random.Random(1)
    tiles = {
        (8, x, y): f"{x} {y} ".encode() + chance.randbytes(chance.randrange(300))
        for x in range(200)
        for y in range(100)
    }
    path = tmp_path / "many.pmtiles"
    path.write_bytes(write_archive(tiles, ArchiveInfo((-180, -85, 180, 85), 8, 8, {})))
    stamp = FileVersion.of(path)
    assert stamp is not None
    archive = Archive(stamp)
    assert archive.header.leaves_length > 0
    for x, y in [(0, 0), (199, 99), (77, 31), (3, 58)]:
        tile = archive.tile(8, x, y)
        assert tile is not None and decompress(tile.data, 2).startswith(f"{x} {y} ".encode())
    assert archive.tile(8, 200, 0) is None


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


def is_land(archive: Archive, lat: float, lon: float) -> bool:
    """Look a place up in the tiles of the highest zoom level."""
    z = archive.extent.max_zoom
    x = (lon / 360 + 0.5) * (1 << z)
    y = (0.5 - math.asinh(math.tan(math.radians(lat))) / (2 * math.pi)) * (1 << z)
    tile = archive.tile(z, int(x), int(y))
    if tile is None:
        return False
    at_x, at_y = x % 1 * 4096, y % 1 * 4096
    inside = False
    for ring in parts_of(decompress(tile.data, 2)).get("land", []):
        for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True):
            if (ay > at_y) != (by > at_y) and at_x < ax + (at_y - ay) * (bx - ax) / (by - ay):
                inside = not inside
    return inside


@pytest.mark.parametrize(
    ("lat", "lon", "land"),
    [
        # The fjord of Kiel is two kilometres wide off Laboe and 300 metres at its end.
        (54.330, 10.151, False),
        (54.400, 10.200, False),
        (54.322, 10.120, True),
        (54.405, 10.235, True),
        # The bay of Los Lances and the town of Tarifa.
        (36.020, -5.640, False),
        (36.016, -5.605, True),
        # Cape Town, where the map is less detailed.
        (-33.90, 18.35, False),
        (-33.93, 18.45, True),
    ],
)
def test_bundled_map_has_the_coast_where_it_is(lat: float, lon: float, land: bool) -> None:
    stamp = FileVersion.of(BUILT_IN / BASEMAP)
    assert stamp is not None
    assert is_land(Archive(stamp), lat, lon) == land


@pytest.mark.parametrize(
    ("lat", "lon", "lake"),
    [
        # Lake Garda: in the north, in the south, and east of it.
        (45.85, 10.85, True),
        (45.50, 10.65, True),
        (45.60, 10.80, False),
        # Steinhuder Meer, and Hanover.
        (52.46, 9.33, True),
        (52.37, 9.73, False),
    ],
)
def test_bundled_lakes_have_their_coordinates(lat: float, lon: float, lake: bool) -> None:
    stamp = FileVersion.of(BUILT_IN / LAKES)
    assert stamp is not None
    assert is_land(Archive(stamp), lat, lon) == lake


def test_bundled_map_names_towns_and_fits_the_package() -> None:
    assert sum(path.stat().st_size for path in BUILT_IN.glob("*.pmtiles")) < 40_000_000
    stamp = FileVersion.of(BUILT_IN / BASEMAP)
    assert stamp is not None
    tile = Archive(stamp).tile(9, 270, 163)
    assert tile is not None
    assert all(name.encode() in decompress(tile.data, 2) for name in ("Kiel", "Laboe"))
    hungary = Archive(stamp).tile(6, 35, 22)
    assert hungary is not None
    names = decompress(hungary.data, 2)
    assert b"Budapest" in names and b"\x04Pest" not in names
