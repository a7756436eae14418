"""Validation of push endpoints, which are supplied by users."""

from urllib.parse import SplitResult, urlsplit

from quartet.kernel.address_policy import AddressPolicy, literal_address
from quartet.kernel.errors import AppError

_LONGEST = 2000


def checked_endpoint(text: str, *, allow_private: bool) -> str:
    """Reject invalid endpoints; host names are resolved and checked when a message is sent."""
    if not 0 < len(text) <= _LONGEST or not text.isascii() or not text.isprintable():
        raise AppError(400, "bad_address")
    parts = _split(text)
    schemes = ("https", "http") if allow_private else ("https",)
    if parts.scheme not in schemes or " " in text or "@" in parts.netloc or "#" in text:
        raise AppError(400, "bad_address")
    literal = literal_address(parts.hostname or "")
    if literal is not None and not AddressPolicy(allow_private).permits(literal):
        raise AppError(400, "address_forbidden", address=origin_of(text))
    return text


def origin_of(endpoint: str) -> str:
    """Return the push service of an endpoint, without its secret part."""
    parts = _split(endpoint)
    return f"{parts.scheme}://{parts.netloc}"


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        # Accessing `port` validates it.
        if parts.port == 0 or not parts.hostname or ":" in parts.hostname:
            raise AppError(400, "bad_address")
    except ValueError:
        raise AppError(400, "bad_address") from None
    return parts
