"""The Retry-After header."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds from a number or a date; None if the header is missing or invalid."""
    text = headers.get("Retry-After", "").strip()
    try:
        if text.isdecimal():
            return float(text)
        when = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
