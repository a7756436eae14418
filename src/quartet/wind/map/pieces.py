"""The fixed pieces into which textures of the whole world are cut."""

from quartet.wind.grid.geometry import Area

_DEGREES = 45

# By their name in an address. The set is fixed, so requests cannot fill the cache.
PIECES: dict[str, Area] = {
    f"{west}_{south}_{west + _DEGREES}_{south + _DEGREES}": Area(
        west, south, west + _DEGREES, south + _DEGREES
    )
    for south in range(-90, 90, _DEGREES)
    for west in range(-180, 180, _DEGREES)
}
