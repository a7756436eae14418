"""When a download that failed is tried again."""

FIRST_SECONDS = 10.0
LAST_SECONDS = 600.0


def seconds_until(attempt: int, asked: float | None = None) -> float:
    """After the first attempt, the second and so on; a server may ask for more time."""
    doubled: float = FIRST_SECONDS * 2 ** min(attempt - 1, 10)
    return max(min(doubled, LAST_SECONDS), asked or 0.0)
