"""Names people give to what is theirs."""

import unicodedata

from quartet.kernel.errors import AppError

# They join letters and emoji into one sign; everything else that cannot be seen is refused.
_JOINERS = "\u200c\u200d"
_LONGEST = 1000


def one_line(text: str, most: int, *, empty: bool = False) -> str:
    """Trimmed and composed; refuses control characters and what turns the direction of writing."""
    # Before it is composed, which takes time for what is long.
    if len(text) > _LONGEST:
        raise AppError(400, "invalid_name", max=most)
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if len(name) > most or not (name or empty) or any(_is_hidden(char) for char in name):
        raise AppError(400, "invalid_name", max=most)
    return name


def _is_hidden(char: str) -> bool:
    category = unicodedata.category(char)
    return (category[0] == "C" and char not in _JOINERS) or category in ("Zl", "Zp")
