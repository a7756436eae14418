"""One folder or file name: safe on every disk and share, and short enough."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from quartet.kernel.files import safe_name

# A colon between words is a pause, one inside a word (`Re:Zero`, `12:30`) holds it together.
_PAUSE = re.compile(r"\s*:\s+|\s+:")
_DROPPED = re.compile(r"[<>|?*]")
# Left dangling when what they led to was cut away.
_DANGLING = re.compile(r"[\s._\-\u2013\u2014&,(\[{]+$")


class Piece(NamedTuple):
    """Text of one token or literal; the lower the rank, the sooner it is shortened."""

    text: str
    rank: int


def graphemes(text: str) -> list[str]:
    # Takes a quarter of a second to import, and few names have to be cut.
    import regex  # type: ignore[import-untyped]

    found: list[str] = regex.findall(r"\X", text)
    return found


def cut(text: str, max_bytes: int) -> str:
    """The longest beginning that fits, never inside what a person sees as one sign."""
    kept, room = [], max_bytes
    for sign in graphemes(text):
        room -= len(sign.encode())
        if room < 0:
            break
        kept.append(sign)
    return "".join(kept)


@lru_cache(maxsize=4096)
def cleaned(text: str) -> str:
    """A value without what a share refuses, still readable."""
    text = unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode())
    text = _PAUSE.sub(" - ", text).replace(":", "-").replace('"', "'")
    text = text.replace("/", "-").replace("\\", "-")
    return _DROPPED.sub("", text)


def joined(pieces: Sequence[Piece], max_bytes: int) -> str:
    """The pieces as one name, shortened by rank until it fits; empty when nothing is left."""
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
    # One byte less: a reserved name gets a sign in front.
    return _tidy(cut(name, max_bytes - 1))


@lru_cache(maxsize=4096)
def _tidy(text: str) -> str:
    text = re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()
    return safe_name(text, max_bytes=1 << 20, keep_extension=False) if text.strip(" .") else ""
