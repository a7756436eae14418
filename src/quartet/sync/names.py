"""Names that come from elsewhere, made fit to be shown."""

import unicodedata

MOST_CHARS = 100


def plain(text: str, instead: str = "") -> str:
    """One line without control characters and marks that turn the direction of writing."""
    kept = "".join(" " if char.isspace() else char for char in text if not _is_hidden(char))
    return " ".join(kept.split())[:MOST_CHARS].strip() or instead


def _is_hidden(char: str) -> bool:
    # Format characters and those without a meaning: bidi overrides, zero widths, surrogates.
    return unicodedata.category(char)[0] == "C" and not char.isspace()
