"""Cleanup of names typed by users."""

import unicodedata

from quartet.kernel.errors import AppError

# These join letters and emoji; all other invisible characters are rejected.
_JOINERS = "\u200c\u200d"
_LONGEST = 1000


def clean_line(text: str, most: int, *, empty: bool = False) -> str:
    """Normalise whitespace and Unicode; reject control and bidirectional formatting characters."""
    # Checked before the normalisation, which is slow for long input.
    if len(text) > _LONGEST:
        raise AppError(400, "invalid_name", max=most)
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if len(name) > most or not (name or empty) or any(_is_hidden(char) for char in name):
        raise AppError(400, "invalid_name", max=most)
    return name


def _is_hidden(char: str) -> bool:
    category = unicodedata.category(char)
    return (category[0] == "C" and char not in _JOINERS) or category in ("Zl", "Zp")
