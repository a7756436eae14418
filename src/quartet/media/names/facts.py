"""Finds the words of a release: resolution, source, codecs, languages and so on."""

import re
from functools import lru_cache
from typing import NamedTuple

from quartet.media.names.tables.codecs import AUDIO_PARTS
from quartet.media.names.tables.languages import CODE_OF, CODES
from quartet.media.names.tables.resolutions import HEIGHTS, WIDTHS
from quartet.media.names.vocabulary import INDEX, Token
from quartet.media.names.words import Words


class Fact(NamedTuple):
    """Words `first` up to, not including, `last`."""

    first: int
    last: int
    tokens: tuple[Token, ...]
    strong: bool


class Rule(NamedTuple):
    tokens: tuple[Token, ...]
    strong: bool
    # The first half of `5.1`, if the word ends with it.
    speakers: str | None = None


MEASURED = (Token("measure", ""),)
CHECKSUM = (Token("checksum", ""),)
VERSION = (Token("version", ""),)
# Behind a number: `8 Film Collection`.
COLLECTIONS = [[film, "collection"] for film in ("film", "films", "movie", "movies")]

ROWS = "|".join(str(height) for height in HEIGHTS)
HEIGHT = re.compile(rf"([a-z]{{0,8}})({ROWS})0?([pi]|hd)(?:\d{{2,3}}|x\d{{3}}|x|hd)?(?:fps)?$")
FRAME = re.compile(r"(\d{3,4})x(\d{3,4})([pi]?)(?:\d{2,3}|up|hd)?$")
SOUND = re.compile(
    rf"({'|'.join(sorted(AUDIO_PARTS, key=len, reverse=True))})(\d)?(\d)?(?:[x*]\d{{1,2}})?$"
)
MEASURE = re.compile(r"\d+(?:mb|gb|gib|mib|kbps?|kbit|mbps|fps|bits?|cd|dvd|ch|khz|hz|audio|p|fs)$")
HEX = re.compile(r"[0-9A-F]{8}$|[0-9a-f]{8}$")
PLAIN = re.compile(r"v\d$")
# `Vol127`; a film that has volumes has few.
VOLUME = re.compile(r"vol\d{2,3}$")
# `CD1` and `CD1of2`; no title has such a word.
DISC = re.compile(r"(?:cd|dis[ck]|dvd)(\d)(?:of\d)?$")


def find(words: Words) -> list[Fact]:
    facts = []
    lower = words.lower
    index = 0
    while index < words.count:
        word = lower[index]
        fact = None
        if word in INDEX:
            fact = listed(words, index)
        if not fact and not word.isalpha():
            fact = ruled(words, index)
        if not fact and len(word) == 2 and words.raw[index] in CODES:
            fact = Fact(index, index + 1, (Token("code", CODE_OF.get(word.upper(), word)),), False)
        if fact:
            facts.append(fact)
            index = fact.last
        else:
            index += 1
    return facts


def listed(words: Words, index: int) -> Fact | None:
    lower = words.lower
    following = lower[index + 1] if index + 1 < words.count else ""
    for rest, tokens, strong in INDEX[lower[index]]:
        last = index + 1 + len(rest)
        # Most differ in their second word already.
        if not rest or (rest[0] == following and tuple(lower[index + 1 : last]) == rest):
            return Fact(index, last, tokens, strong)
    return None


def ruled(words: Words, index: int) -> Fact | None:
    """Words with digits in them that follow a rule instead of a list."""
    word = words.lower[index]
    if word.isdigit():
        return number(words, index)
    if rule := by_rule(word):
        return (
            with_channels(words, index, rule)
            if rule.speakers
            else Fact(index, index + 1, *rule[:2])
        )
    if len(word) == 8 and HEX.match(words.raw[index]):
        return Fact(index, index + 1, CHECKSUM, True)
    return None


def number(words: Words, index: int) -> Fact | None:
    word = words.lower[index]
    if len(word) == 8 and words.brackets[index]:
        return Fact(index, index + 1, CHECKSUM, False)
    if words.lower[index + 1 : index + 3] in COLLECTIONS:
        return Fact(index, index + 3, (Token("complete", "whole"),), True)
    # Behind a dash the same number is an episode.
    if word in ("720", "1080", "2160") and "-" not in words.gap(index):
        return Fact(index, index + 1, (Token("label", f"{word}p"),), False)
    return None


# The same few words stand in every name.
@lru_cache(maxsize=4096)
def by_rule(word: str) -> Rule | None:
    if match := HEIGHT.match(word):
        return Rule(height(match), True)
    if match := FRAME.match(word):
        return Rule((Token("frame", frame(int(match[1]), int(match[2]), match[3])),), True)
    if match := SOUND.match(word):
        return sound(match)
    if MEASURE.match(word):
        return Rule(MEASURED, False)
    if VOLUME.match(word):
        return Rule(VERSION, True)
    if match := DISC.match(word):
        return Rule((Token("disc", match[1]),), True)
    return Rule(VERSION, False) if PLAIN.match(word) else None


def height(match: re.Match[str]) -> tuple[Token, ...]:
    """`WEBRip1080p`: what stands before without a space is a fact too."""
    tokens: tuple[Token, ...] = (Token("resolution", match[2] + match[3].replace("hd", "p")),)
    for spelling in INDEX.get(match[1], ()):
        if not spelling.rest:
            tokens += spelling.tokens
    return tokens


def frame(width: int, rows: int, scan: str) -> str:
    """The usual name of a picture of this size; one of no usual shape has none."""
    shape = width / max(rows, 1)
    if rows in HEIGHTS and 1.3 <= shape <= 1.9:
        return f"{rows}{scan or 'p'}"
    for least, known in WIDTHS:
        if width >= least and shape > 1.7:
            return f"{known}p"
    return f"{width}x{rows}"


def sound(match: re.Match[str]) -> Rule:
    tokens: tuple[Token, ...] = (Token("audio", AUDIO_PARTS[match[1]]),)
    if match[2] and match[3]:
        return Rule((*tokens, Token("channels", f"{match[2]}.{match[3]}")), True)
    return Rule(tokens, True, match[2])


def with_channels(words: Words, index: int, rule: Rule) -> Fact:
    """`DDP5.1` is the words `DDP5` and `1`."""
    last = index + 1
    if last < words.count and words.lower[last] in ("0", "1", "1ch", "0ch"):
        channels = Token("channels", f"{rule.speakers}.{words.lower[last][0]}")
        return Fact(index, last + 1, (*rule.tokens, channels), True)
    return Fact(index, last, rule.tokens, True)
