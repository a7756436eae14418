"""PMTiles tile ids: positions on a Hilbert curve through all zoom levels."""

MAX_ZOOM = 26


def tile_id(z: int, x: int, y: int) -> int:
    """Return the id; tiles of lower zoom levels come first."""
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
