"""Cleans names from untrusted sources for display."""

import unicodedata

MOST_CHARS = 100


def clean_name(text: str, instead: str = "") -> str:
    """Return one line without control characters and bidirectional overrides."""
    kept = "".join(" " if char.isspace() else char for char in text if not _is_hidden(char))
    return " ".join(kept.split())[:MOST_CHARS].strip() or instead


def _is_hidden(char: str) -> bool:
    # Unicode category C: format characters such as bidirectional overrides and zero-width
    # characters, surrogates and unassigned ones.
    return unicodedata.category(char)[0] == "C" and not char.isspace()
