"""Normalises titles for comparison, in any script."""

import re
import unicodedata
from functools import lru_cache

_ARTICLES = re.compile(r"^(the|a|an|der|die|das|le|la|les|el|los|il) (?=\S)")


@lru_cache(maxsize=20_000)
def fold_title(title: str) -> str:
    """Return the title in lower case, without accents and punctuation, with single spaces.

    Accents are removed only from Latin, Greek and Cyrillic letters; in other scripts they are part
    of the letter.
    """
    text = unicodedata.normalize("NFKC", title).casefold().replace("&", " and ")
    # `Don't` and `Dont`, `M*A*S*H` and `MASH` are the same title.
    text = re.sub(r"['\u2019`\u00b4]", "", text)
    text = re.sub(r"\b(\w)[.*](?=\w\b)", r"\1", text)
    bare = "".join(_strip_marks(character) for character in unicodedata.normalize("NFC", text))
    words = " ".join("".join(map(_letter, bare)).split())
    # A title of punctuation only (`?`, `...`) is compared as it is.
    return words or "".join(character for character in text if character.isprintable()).strip()


def strip_article(text: str) -> str:
    return _ARTICLES.sub("", text)


def _letter(character: str) -> str:
    # Keep combining marks: in Hindi or Thai they are part of the letter.
    return character if unicodedata.category(character)[0] in "LMN" else " "


def _strip_marks(character: str) -> str:
    if character < "\u0080" or not "\u00c0" <= character <= "\u1fff":
        return character
    decomposed = unicodedata.normalize("NFD", character)
    is_letter_with_marks = all(unicodedata.category(mark) == "Mn" for mark in decomposed[1:])
    if is_letter_with_marks and decomposed[0] < "\u0530":
        return {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"}.get(
            decomposed[0], decomposed[0]
        )
    return character
