"""The fixed pieces into which hours of the whole world are cut."""

from quartet.wind.grid.geometry import Area

_DEGREES = 45

# By the name they have in an address; there are no others, so nobody can fill the cache with more.
PIECES: dict[str, Area] = {
    f"{west}_{south}_{west + _DEGREES}_{south + _DEGREES}": Area(
        west, south, west + _DEGREES, south + _DEGREES
    )
    for south in range(-90, 90, _DEGREES)
    for west in range(-180, 180, _DEGREES)
}
