"""Normalises names for the search: no accents, case or punctuation."""

import re
import unicodedata
from collections.abc import Iterator

_LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "\u0131": "i", "þ": "th"}
    # Remove apostrophes: fold "St Mary's" to "st marys", not "st mary s".
    | dict.fromkeys("'\u2019\u02bc`", "")
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_ACCENTS = re.compile("[\u0300-\u036f]")
_OTHERS = re.compile(r"[\W_]+")
LONGEST = 64


def fold(text: str) -> str:
    """Return lower case letters and digits, with single spaces between words."""
    # Cut first, because a query may be very long.
    text = text[: 4 * LONGEST].casefold().translate(_LETTERS)
    if not text.isascii():
        text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return _OTHERS.sub(" ", text).strip()[:LONGEST].rstrip()


def keys_of(name: str) -> Iterator[tuple[str, int]]:
    """Yield the folded name from each of its words on; with 0 for the whole name, else 1."""
    whole = fold(name)
    texts = {whole}
    if not name.isascii():
        texts.add(fold(unicodedata.normalize("NFC", name).casefold().translate(_UMLAUTS)))
    for text in texts:
        words = text.split()
        for number in range(len(words)):
            yield " ".join(words[number:]), int(number > 0)
