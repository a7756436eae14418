"""HTTP caching helpers."""

FOR_EVER = "public, max-age=31536000, immutable"


def matches_etag(if_none_match: str | None, tag: str) -> bool:
    """Return whether If-None-Match contains the tag; weak comparison is sufficient for GET."""
    if not if_none_match:
        return False
    known = [each.strip().removeprefix("W/") for each in if_none_match.split(",")]
    return "*" in known or tag in known
