"""Answers that browsers and proxies may keep."""

FOR_EVER = "public, max-age=31536000, immutable"


def unchanged(if_none_match: str | None, tag: str) -> bool:
    """Whether the asker has what has this tag; a weak tag is good enough for that."""
    if not if_none_match:
        return False
    known = [each.strip().removeprefix("W/") for each in if_none_match.split(",")]
    return "*" in known or tag in known
