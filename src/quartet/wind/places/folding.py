"""Names as people type them: without accents, case and punctuation."""

import re
import unicodedata
from collections.abc import Iterator

_LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "\u0131": "i", "þ": "th"}
    # St Mary's is one word more for nobody.
    | dict.fromkeys("'\u2019\u02bc`", "")
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_ACCENTS = re.compile("[\u0300-\u036f]")
_OTHERS = re.compile(r"[\W_]+")
LONGEST = 64


def fold(text: str) -> str:
    """Lower case letters and digits only, one blank between words."""
    # Cut before the work: a query may be long, and nothing that long has a name.
    text = text[: 4 * LONGEST].casefold().translate(_LETTERS)
    if not text.isascii():
        text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return _OTHERS.sub(" ", text).strip()[:LONGEST].rstrip()


def keys_of(name: str) -> Iterator[tuple[str, int]]:
    """All beginnings under which a name is found, and how far each is from the whole name."""
    whole = fold(name)
    texts = {whole}
    if not name.isascii():
        texts.add(fold(unicodedata.normalize("NFC", name).casefold().translate(_UMLAUTS)))
    for text in texts:
        words = text.split()
        for number in range(len(words)):
            yield " ".join(words[number:]), int(number > 0)
