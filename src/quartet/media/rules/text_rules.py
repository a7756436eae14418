"""Rules that need nothing but the text."""

import re
import unicodedata
from collections.abc import Sequence

from quartet.kernel.user_patterns import UserPatterns
from quartet.media.naming.transliteration import strip_marks, to_latin
from quartet.media.rules.patterns import find, substitute
from quartet.media.rules.types import (
    Case,
    Cleanup,
    CutAfter,
    Insert,
    Pad,
    Rearrange,
    Remove,
    Replace,
    Separators,
    Strip,
    Transliterate,
)

_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_PIECE = re.compile(r"\$(\d{1,2})")
# Unicode category of digits in all scripts.
_DIGITS = "Nd"


def replace(
    rule: Replace, texts: Sequence[str], place: int, patterns: UserPatterns
) -> Sequence[str]:
    return substitute(rule, texts, place, patterns) if rule.find else texts


def insert(rule: Insert, text: str) -> str:
    at = {"start": 0, "end": len(text), "index": rule.index}[rule.position]
    at = max(0, len(text) + at) if at < 0 else at
    return text[:at] + rule.text + text[at:]


def remove(rule: Remove, text: str) -> str:
    if not rule.from_end:
        return text[: rule.start] + text[rule.start + rule.count :]
    end = max(0, len(text) - rule.start)
    return text[: max(0, end - rule.count)] + text[end:]


def case(rule: Case, text: str) -> str:
    match rule.to:
        case "lower":
            return text.lower()
        case "upper":
            return text.upper()
        case "sentence":
            return text[:1].upper() + text[1:].lower()
        case "title":
            return re.sub(r"[^\W_]+(?:['\u2019][^\W_]+)*", _capitalised, text)


def _capitalised(word: re.Match[str]) -> str:
    return word[0][:1].upper() + word[0][1:].lower()


def separators(rule: Separators, text: str) -> str:
    return re.sub(r"[\s._]+", lambda _: rule.separator, text)


def transliterate(rule: Transliterate, text: str) -> str:
    return strip_marks(text) if rule.strip_diacritics else to_latin(text)


def cut_after(
    rule: CutAfter, texts: Sequence[str], place: int, patterns: UserPatterns
) -> Sequence[str]:
    if not rule.pattern:
        return texts
    spans = find(rule, texts, place, patterns)
    return [
        text[: span[1] if rule.keep_match else span[0]] if span else text
        for text, span in zip(texts, spans, strict=True)
    ]


def pad(rule: Pad, text: str) -> str:
    return re.sub(r"[0-9]+", lambda number: number[0].zfill(rule.digits), text)


def cleanup(rule: Cleanup, text: str) -> str:
    if rule.brackets:
        text = _BRACKETS.sub(" ", text)
    if rule.separators:
        text = re.sub(r"[._]+", " ", text)
        text = re.sub(r"\s*-(\s*-)+\s*", " - ", text).strip(" -")
    if rule.spaces:
        text = " ".join(text.split())
    return text


def strip(rule: Strip, text: str) -> str:
    return "".join(character for character in text if not _is_stripped(rule, character))


def _is_stripped(rule: Strip, character: str) -> bool:
    if character in rule.chars:
        return True
    category = unicodedata.category(character)
    if rule.digits and category == _DIGITS:
        return True
    return rule.symbols and category[0] in "PS"


def rearrange(rule: Rearrange, text: str) -> str:
    pieces = text.split(rule.delimiter)
    if len(pieces) == 1:
        return text

    def piece(mark: re.Match[str]) -> str:
        number = int(mark[1])
        return pieces[number - 1] if 0 < number <= len(pieces) else ""

    return _PIECE.sub(piece, rule.pattern)
