"""The number of a tile on the curve that PMTiles lays through every zoom level."""

MAX_ZOOM = 26


def tile_id(z: int, x: int, y: int) -> int:
    """Tiles of all smaller zoom levels come before; x and y must be on the map."""
    number = ((1 << 2 * z) - 1) // 3
    for level in range(z - 1, -1, -1):
        side = 1 << level
        right, low = x & side > 0, y & side > 0
        number += side * side * ((3 * right) ^ low)
        if not low:
            if right:
                x, y = side - 1 - x, side - 1 - y
            x, y = y, x
    return number
