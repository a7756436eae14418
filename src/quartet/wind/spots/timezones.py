"""Which clock a place goes by."""


def timezone_at(lat: float, lon: float) -> str:
    # Here and not above: the shapes of all time zones take 30 MB.
    from tzfpy import get_tz

    return get_tz(lon, lat) or "UTC"
