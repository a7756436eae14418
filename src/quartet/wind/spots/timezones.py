"""Time zone of a place."""


def timezone_at(lat: float, lon: float) -> str:
    # Imported here: the time zone polygons take 30 MB.
    from tzfpy import get_tz

    return get_tz(lon, lat) or "UTC"
