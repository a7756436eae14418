"""Encoder for vector tiles (MVT 2.1): integer coordinates in Protocol Buffers."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from quartet.wind.basemap.world.place_names import PlaceName
from quartet.wind.basemap.world.shapes import Points, Shapes

EXTENT = 4096
_MOVE, _LINE, _CLOSE = 1, 2, 7
_POINTS, _LINES, _POLYGONS = 1, 2, 3

Numbers = NDArray[np.int64]


def vector_tile(shapes: Shapes, z: int, x: int, y: int, names: Sequence[PlaceName] = ()) -> bytes:
    """Return the encoded tile; empty if nothing is visible."""
    corner = np.array([x, y], np.float64)

    def inside(points: Points) -> Numbers:
        return np.rint((points * (1 << z) - corner) * EXTENT).astype(np.int64)

    def outline(points: Points) -> Numbers:
        whole = inside(points)
        moved = np.any(whole[1:] != whole[:-1], axis=1)
        return np.asarray(whole[np.concatenate([[True], moved])])

    land = _polygons([outline(ring) for ring in polygon] for polygon in shapes.land)
    borders = _lines(outline(line) for line in shapes.borders)
    layers = (("land", _POLYGONS, land), ("borders", _LINES, borders))
    tile = b"".join(_layer(name, kind, parts) for name, kind, parts in layers if parts)
    if not names:
        return tile
    places = inside(np.array([(each.x, each.y) for each in names]))
    return tile + _names_layer(names, places)


def _polygons(polygons: Iterable[list[Numbers]]) -> list[Numbers]:
    found: list[Numbers] = []
    for outline, *holes in polygons:
        # Outlines and holes have opposite winding orders, which is how readers distinguish them.
        turned = _turned(outline, 1)
        if turned is None:
            continue
        found.append(turned)
        inner = (_turned(hole, -1) for hole in holes)
        found += [hole for hole in inner if hole is not None]
    return found


def _turned(ring: Numbers, direction: int) -> Numbers | None:
    x, y = ring.T
    area = int(np.dot(x, np.roll(y, -1)) - np.dot(np.roll(x, -1), y))
    if area == 0 or len(ring) < 3:
        return None
    return ring if area * direction > 0 else ring[::-1]


def _lines(lines: Iterable[Numbers]) -> list[Numbers]:
    return [line for line in lines if len(line) > 1]


def _layer(name: str, kind: int, parts: list[Numbers]) -> bytes:
    geometry = _varints(_commands(parts, closed=kind == _POLYGONS))
    feature = _field(3, kind) + _field(4, geometry)
    layer = (_field(15, 2), _field(1, name.encode()), _field(2, feature), _field(5, EXTENT))
    return _field(3, b"".join(layer))


def _names_layer(names: Sequence[PlaceName], places: Numbers) -> bytes:
    """Encode points with their name, German name and rank; equal values are stored once."""
    keys = ("name", "name:de", "rank")
    values: dict[str | int, int] = {}
    features = []
    for each, place in zip(names, places, strict=True):
        properties = ((0, each.name), (1, each.german), (2, each.rank))
        tags = [
            number
            for key, value in properties
            if value is not None
            for number in (key, values.setdefault(value, len(values)))
        ]
        zigzag = (place << 1) ^ (place >> 63)
        geometry = _varints(np.concatenate([[_MOVE | 1 << 3], zigzag]))
        feature = _field(2, _varints(np.array(tags))) + _field(3, _POINTS) + _field(4, geometry)
        features.append(_field(2, feature))
    layer = [_field(15, 2), _field(1, b"places"), *features]
    layer += [_field(3, key.encode()) for key in keys]
    layer += [_field(4, _value(value)) for value in values]
    return _field(3, b"".join((*layer, _field(5, EXTENT))))


def _value(value: str | int) -> bytes:
    return _field(1, value.encode()) if isinstance(value, str) else _field(5, value)


def _commands(parts: list[Numbers], *, closed: bool) -> Numbers:
    """Encode every point relative to the previous one, also across parts."""
    found: list[Numbers] = []
    last = np.zeros(2, np.int64)
    for part in parts:
        ways = np.diff(part, axis=0, prepend=last[None])
        zigzag = ((ways << 1) ^ (ways >> 63)).reshape(-1)
        line = np.array([_LINE | len(part) - 1 << 3])
        found += [np.array([_MOVE | 1 << 3]), zigzag[:2], line, zigzag[2:]]
        if closed:
            found.append(np.array([_CLOSE | 1 << 3]))
        last = part[-1]
    return np.concatenate(found)


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(number: int) -> bytes:
    return _varints(np.array([number]))


def _varints(numbers: Numbers) -> bytes:
    """Encode varints: seven bits per byte, lowest first; the top bit means more follow."""
    shifts = np.arange(0, 35, 7)
    rest = numbers[:, None] >> shifts
    used = (rest > 0) | (shifts == 0)
    more = np.concatenate([used[:, 1:], np.zeros((len(numbers), 1), bool)], axis=1)
    packed: NDArray[np.uint8] = ((rest & 127) | (more * 128)).astype(np.uint8)
    return bytes(packed[used])
