"""Small archives for tests, and a decoder for vector tiles."""

from pathlib import Path

from quartet.wind.basemap.archive_writer import ArchiveInfo, write_archive

Tiles = dict[tuple[int, int, int], bytes]


def archive(folder: Path, name: str, tiles: Tiles, layer: str = "land") -> Path:
    """Write an archive to where an admin would put it."""
    zooms = [z for z, _, _ in tiles]
    metadata: dict[str, object] = {"attribution": "us", "vector_layers": [{"id": layer}]}
    about = ArchiveInfo((-180.0, -85.0, 180.0, 85.0), min(zooms), max(zooms), metadata)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(write_archive(tiles, about))
    return path


Part = list[tuple[int, int]]


def parts_of(tile: bytes) -> dict[str, list[Part]]:
    """Return the rings and lines of each layer of a vector tile."""
    found = {}
    for _, layer in _fields(tile):
        fields = dict(_fields(_bytes(layer)))
        feature = dict(_fields(_bytes(fields[2])))
        found[_bytes(fields[1]).decode()] = _geometry(_bytes(feature[4]))
    return found


def _bytes(value: int | bytes) -> bytes:
    assert isinstance(value, bytes)
    return value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while data[at] > 127:
        number |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
    return number | data[at] << shift, at + 1


def _fields(data: bytes) -> list[tuple[int, int | bytes]]:
    found: list[tuple[int, int | bytes]] = []
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, at = _varint(data, at)
        if key & 7 == 2:
            found.append((key >> 3, data[at : at + number]))
            at += number
        else:
            found.append((key >> 3, number))
    return found


def _geometry(data: bytes) -> list[Part]:
    parts: list[Part] = []
    at = x = y = 0
    while at < len(data):
        command, at = _varint(data, at)
        for _ in range(command >> 3 if command & 7 != 7 else 0):
            right, at = _varint(data, at)
            down, at = _varint(data, at)
            x, y = x + ((right >> 1) ^ -(right & 1)), y + ((down >> 1) ^ -(down & 1))
            if command & 7 == 1:
                parts.append([])
            parts[-1].append((x, y))
    return parts
