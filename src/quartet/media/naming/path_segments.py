"""Makes a folder or file name valid on every disk and share, and short enough."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from quartet.kernel.files import safe_name

# A colon between words is a pause; inside a word (`Re:Zero`, `12:30`) it joins.
_PAUSE = re.compile(r"\s*:\s+|\s+:")
_DROPPED = re.compile(r"[<>|?*]")
# Punctuation left at the end after shortening.
_DANGLING = re.compile(r"[\s._\-\u2013\u2014&,(\[{]+$")


class Piece(NamedTuple):
    """The text of one token or literal; lower ranks are shortened first."""

    text: str
    rank: int


def graphemes(text: str) -> list[str]:
    # Imported here because it takes a quarter of a second and few names are shortened.
    import regex  # type: ignore[import-untyped]

    found: list[str] = regex.findall(r"\X", text)
    return found


def cut(text: str, max_bytes: int) -> str:
    """Return the longest prefix that fits, without splitting a visible character."""
    kept, room = [], max_bytes
    for character in graphemes(text):
        room -= len(character.encode())
        if room < 0:
            break
        kept.append(character)
    return "".join(kept)


@lru_cache(maxsize=4096)
def clean_value(text: str) -> str:
    """Remove characters that shares refuse, and keep the value readable."""
    text = unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode())
    text = _PAUSE.sub(" - ", text).replace(":", "-").replace('"', "'")
    text = text.replace("/", "-").replace("\\", "-")
    return _DROPPED.sub("", text)


def join_pieces(pieces: Sequence[Piece], max_bytes: int) -> str:
    """Join the pieces into one name, shortened by rank to fit; empty if nothing is left."""
    name = _tidy("".join(piece.text for piece in pieces))
    if len(name.encode()) <= max_bytes:
        return name
    texts = [piece.text for piece in pieces]
    for place in sorted(range(len(pieces)), key=lambda place: pieces[place].rank):
        while texts[place] and (excess := len(name.encode()) - max_bytes) > 0:
            room = len(texts[place].encode()) - excess
            texts[place] = cut(texts[place], room).rstrip()
            name = _DANGLING.sub("", _tidy("".join(texts)))
    if len(name.encode()) <= max_bytes:
        return name
    # One byte less, because a reserved name gets a prefix.
    return _tidy(cut(name, max_bytes - 1))


@lru_cache(maxsize=4096)
def _tidy(text: str) -> str:
    text = re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()
    return safe_name(text, max_bytes=1 << 20, keep_extension=False) if text.strip(" .") else ""
