"""Titles made comparable, whatever script they are written in."""

import re
import unicodedata
from functools import lru_cache

_ARTICLES = re.compile(r"^(the|a|an|der|die|das|le|la|les|el|los|il) (?=\S)")


@lru_cache(maxsize=20_000)
def folded(title: str) -> str:
    """Small letters without marks and signs, one blank between words.

    Only marks on Latin, Greek and Cyrillic letters go: in other scripts they make the letter.
    """
    text = unicodedata.normalize("NFKC", title).casefold().replace("&", " and ")
    # `Don't` and `Dont`, `M*A*S*H` and `MASH` are the same to whoever typed them.
    text = re.sub(r"['\u2019`\u00b4]", "", text)
    text = re.sub(r"\b(\w)[.*](?=\w\b)", r"\1", text)
    bare = "".join(_bare(sign) for sign in unicodedata.normalize("NFC", text))
    words = " ".join("".join(map(_letter, bare)).split())
    # A title of signs alone (`?`, `...`) is compared as it is.
    return words or "".join(sign for sign in text if sign.isprintable()).strip()


def without_article(text: str) -> str:
    return _ARTICLES.sub("", text)


def _letter(sign: str) -> str:
    # Marks stay: in Hindi or Thai a letter without them is another one.
    return sign if unicodedata.category(sign)[0] in "LMN" else " "


def _bare(sign: str) -> str:
    if sign < "\u0080" or not "\u00c0" <= sign <= "\u1fff":
        return sign
    apart = unicodedata.normalize("NFD", sign)
    is_letter_with_marks = all(unicodedata.category(mark) == "Mn" for mark in apart[1:])
    if is_letter_with_marks and apart[0] < "\u0530":
        return {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"}.get(apart[0], apart[0])
    return sign
