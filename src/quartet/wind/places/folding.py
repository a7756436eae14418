"""Names as people type them: without accents, case and punctuation."""

import unicodedata
from collections.abc import Iterator

_LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "þ": "th"}
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
LONGEST = 64


def fold(text: str) -> str:
    """Lower case letters and digits only, one blank between words."""
    # Cut before the work: a query may be long, and nothing that long has a name.
    spread = unicodedata.normalize("NFKD", text[: 4 * LONGEST].casefold().translate(_LETTERS))
    kept = (
        each if each.isalnum() else " " for each in spread if not unicodedata.combining(each)
    )
    return " ".join("".join(kept).split())[:LONGEST].rstrip()


def keys_of(name: str) -> Iterator[tuple[str, int]]:
    """All beginnings under which a name is found, and how far each is from the whole name."""
    whole = fold(name)
    spelled = fold(unicodedata.normalize("NFC", name).casefold().translate(_UMLAUTS))
    for text in {whole, spelled}:
        words = text.split()
        for number in range(len(words)):
            yield " ".join(words[number:]), int(number > 0)
