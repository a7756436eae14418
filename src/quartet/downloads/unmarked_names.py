"""Decodes names of files that do not say in which character set they are.

Browsers try UTF-8 and then the character set of the page or of the user's language. A server has
neither, so the bytes themselves decide.
"""

import re
from collections.abc import Sequence
from urllib.parse import unquote_to_bytes

# What Windows in Western languages uses, and what zip files use if they say nothing.
WINDOWS, DOS = "cp1252", "cp437"
_EAST_ASIAN = ("cp932", "gb18030", "cp949", "big5hkscs")
# Characters for private use and for control show that the bytes are not text in a character set.
_NOT_TEXT = re.compile("[\x80-\x9f\ue000-\uf8ff\ufffd]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_IDEOGRAPH_OR_KANA = re.compile("[\u3041-\u30ff\u4e00-\u9fff\uf900-\ufaff]")
_MOST_BYTES = 4096


def decoded(name: bytes, otherwise: str = WINDOWS) -> str:
    """Return the name; `otherwise` is the Western character set."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return in_charset(name, charset_of(name, otherwise))


def in_charset(name: bytes, charset: str) -> str:
    """Return the name in this character set, or byte by byte if it has others than this."""
    try:
        return name.decode(charset)
    except UnicodeDecodeError:
        return name.decode("latin-1")


def unquoted(text: str) -> str:
    """Replace percent escapes, which also mean bytes of any character set."""
    return decoded(unquote_to_bytes(text)) if "%" in text else text


def charset_of(sample: bytes, otherwise: str = WINDOWS) -> str:
    """Return the most likely character set of bytes that are not UTF-8.

    Very short names are sometimes mistaken, for example Chinese ones for Korean.
    """
    sample = sample[:_MOST_BYTES]
    # The bytes of kana are rare characters in the other character sets.
    if _KANA.search(_strictly(sample, "cp932")):
        return "cp932"
    left = [*_EAST_ASIAN, otherwise]
    while len(left) > 1:
        found = _likeliest(sample, left)
        if found not in left:
            break
        text = _strictly(sample, found)
        # Korean names of today contain neither Chinese characters nor kana.
        if text and not (found == "cp949" and _IDEOGRAPH_OR_KANA.search(text)):
            return found
        left.remove(found)
    return otherwise


def _likeliest(sample: bytes, charsets: Sequence[str]) -> str | None:
    # Imported late, because most names are UTF-8, and it needs 40 MB.
    import chardet

    answer = chardet.detect(
        sample,
        include_encodings=charsets,
        no_match_encoding=charsets[-1],
        empty_input_encoding=charsets[-1],
        compat_names=False,
    )
    found: str | None = answer["encoding"]
    return found


def _strictly(sample: bytes, charset: str) -> str:
    """Return the text, or nothing if the bytes are not text in this character set."""
    try:
        text = sample.decode(charset)
    except UnicodeDecodeError:
        return ""
    return "" if _NOT_TEXT.search(text) else text
