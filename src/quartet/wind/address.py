"""Where people find this site, as its settings say; what a request claims may be a lie."""

from urllib.parse import urlsplit

from quartet.wind.settings import WindSettings


def site_address(settings: WindSettings) -> str:
    """Without a slash at its end; this machine's own name when no public address is set."""
    base = settings.base_path.rstrip("/")
    if not settings.public_url:
        # Not 127.0.0.1: browsers offer no passkeys for numbers.
        return f"http://localhost:{settings.port}{base}"
    public = settings.public_url.rstrip("/")
    # A path of the public address counts before the base path, as everywhere.
    return public if urlsplit(public).path else public + base
