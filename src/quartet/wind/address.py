"""Public address of the site, from the settings; request headers are not trusted for it."""

from urllib.parse import urlsplit

from quartet.wind.settings import WindSettings


def site_address(settings: WindSettings) -> str:
    """Return the address without a trailing slash; localhost if no public address is set."""
    base = settings.base_path.rstrip("/")
    if not settings.public_url:
        # Not 127.0.0.1: browsers do not support passkeys for IP addresses.
        return f"http://localhost:{settings.port}{base}"
    public = settings.public_url.rstrip("/")
    # A path in the public address takes precedence over the base path.
    return public if urlsplit(public).path else public + base
