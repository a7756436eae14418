"""Finds release tags in a name: resolution, source, codecs, languages and so on."""

import re
from functools import lru_cache

import msgspec

from quartet.media.names.tables.codecs import AUDIO_PARTS
from quartet.media.names.tables.languages import CODE_OF, CODES
from quartet.media.names.tables.resolutions import HEIGHTS, WIDTHS
from quartet.media.names.vocabulary import INDEX, FirstWord, TagValue
from quartet.media.names.words import Words


class ReleaseTag(msgspec.Struct, frozen=True, gc=False):
    """A tag made of the words from `first` up to, but not including, `last`."""

    first: int
    last: int
    # The kind of the first value, which nearly every rule asks for.
    kind: str
    values: tuple[TagValue, ...]
    strong: bool


class WordRule(msgspec.Struct, frozen=True, gc=False):
    values: tuple[TagValue, ...]
    strong: bool
    # The first digit of `5.1`, if the word ends with it.
    speakers: str | None = None


# The words with which a tag may begin; those that contain a digit follow rules.
CODE_ONLY = FirstWord(None, {})
KNOWN = {code.lower(): CODE_ONLY for code in CODES} | INDEX
MEASURED = (TagValue("measure", ""),)
CHECKSUM = (TagValue("checksum", ""),)
VERSION = (TagValue("version", ""),)
WHOLE = (TagValue("complete", "whole"),)
# After a number: `8 Film Collection`.
COLLECTED = frozenset(("film", "films", "movie", "movies"))
LABELS = frozenset(("720", "1080", "2160"))

ROWS = "|".join(str(height) for height in HEIGHTS)
HEIGHT = re.compile(rf"([a-z]{{0,8}})({ROWS})0?([pi]|hd)(?:\d{{2,3}}|x\d{{3}}|x|hd)?(?:fps)?$")
FRAME = re.compile(r"(\d{3,4})x(\d{3,4})([pi]?)(?:\d{2,3}|up|hd)?$")
SOUND = re.compile(
    rf"({'|'.join(sorted(AUDIO_PARTS, key=len, reverse=True))})(\d)?(\d)?(?:[x*]\d{{1,2}})?$"
)
MEASURE = re.compile(r"\d+(?:mb|gb|gib|mib|kbps?|kbit|mbps|fps|bits?|cd|dvd|ch|khz|hz|audio|p|fs)$")
HEX = re.compile(r"[0-9A-F]{8}$|[0-9a-f]{8}$")
VERSION_WORD = re.compile(r"v\d$")
# `Vol127`. Movies have fewer volumes.
VOLUME = re.compile(r"vol\d{2,3}$")
# `CD1` and `CD1of2`; never part of a title.
DISC = re.compile(r"(?:cd|dis[ck]|dvd)(\d)(?:of\d)?$")


def find(words: Words) -> list[ReleaseTag]:
    tags = []
    behind = 0
    lower = words.lower
    # Without Python code for the other words, which are most of them.
    found = list(map(KNOWN.get, lower))
    for index in words.mixed:
        found[index] = found[index] or CODE_ONLY
    for index, known in enumerate(found):
        if known is None or index < behind:
            continue
        tag = longer_tag(words, index, known) if known.longer else None
        if tag is None and (one := known.alone):
            tag = ReleaseTag(index, index + 1, one.kind, one.values, one.strong)
        if tag is None and (tag := by_word_rule(words, index)) is None:
            continue
        tags.append(tag)
        behind = tag.last
    return tags


def longer_tag(words: Words, index: int, known: FirstWord) -> ReleaseTag | None:
    """Return the longest tag of several words that starts here."""
    lower = words.lower
    following = lower[index + 1] if index + 1 < words.count else ""
    for spelling in known.longer.get(following, ()):
        rest = spelling.rest
        last = index + 1 + len(rest)
        if len(rest) == 1 or tuple(lower[index + 1 : last]) == rest:
            return ReleaseTag(index, last, spelling.kind, spelling.values, spelling.strong)
    return None


def by_word_rule(words: Words, index: int) -> ReleaseTag | None:
    """Match codes of languages, and words that contain digits, by rule."""
    word = words.lower[index]
    if word.isdigit():
        return number(words, index)
    if len(word) == 2 and words.raw[index] in CODES:
        values = (TagValue("code", CODE_OF.get(word.upper(), word)),)
        return ReleaseTag(index, index + 1, "code", values, False)
    if word.isalpha():
        return None
    if rule := by_rule(word):
        return (
            with_channels(words, index, rule)
            if rule.speakers
            else ReleaseTag(index, index + 1, rule.values[0].kind, rule.values, rule.strong)
        )
    if len(word) == 8 and HEX.match(words.raw[index]):
        return ReleaseTag(index, index + 1, "checksum", CHECKSUM, True)
    return None


def number(words: Words, index: int) -> ReleaseTag | None:
    word = words.lower[index]
    if len(word) == 8 and words.brackets[index]:
        return ReleaseTag(index, index + 1, "checksum", CHECKSUM, False)
    following = words.lower[index + 1] if index + 1 < words.count else ""
    if following in COLLECTED and words.lower[index + 2 : index + 3] == ["collection"]:
        return ReleaseTag(index, index + 3, "complete", WHOLE, True)
    # After a dash the same number is an episode.
    if word in LABELS and "-" not in words.gaps[index]:
        return ReleaseTag(index, index + 1, "label", (TagValue("label", f"{word}p"),), False)
    return None


# The same few words occur in every name.
@lru_cache(maxsize=4096)
def by_rule(word: str) -> WordRule | None:
    if match := HEIGHT.match(word):
        return WordRule(height(match), True)
    if match := FRAME.match(word):
        return WordRule((TagValue("frame", frame(int(match[1]), int(match[2]), match[3])),), True)
    if match := SOUND.match(word):
        return sound(match)
    if MEASURE.match(word):
        return WordRule(MEASURED, False)
    if VOLUME.match(word):
        return WordRule(VERSION, True)
    if match := DISC.match(word):
        return WordRule((TagValue("disc", match[1]),), True)
    return WordRule(VERSION, False) if VERSION_WORD.match(word) else None


def height(match: re.Match[str]) -> tuple[TagValue, ...]:
    """`WEBRip1080p`: the letters before the resolution are a tag too."""
    values: tuple[TagValue, ...] = (TagValue("resolution", match[2] + match[3].replace("hd", "p")),)
    known = INDEX.get(match[1])
    return values + known.alone.values if known and known.alone else values


def frame(width: int, rows: int, scan: str) -> str:
    """Return the usual name for a picture of this size; unusual sizes are kept as they are."""
    shape = width / max(rows, 1)
    if rows in HEIGHTS and 1.3 <= shape <= 1.9:
        return f"{rows}{scan or 'p'}"
    for least, known in WIDTHS:
        if width >= least and shape > 1.7:
            return f"{known}p"
    return f"{width}x{rows}"


def sound(match: re.Match[str]) -> WordRule:
    values: tuple[TagValue, ...] = (TagValue("audio", AUDIO_PARTS[match[1]]),)
    if match[2] and match[3]:
        return WordRule((*values, TagValue("channels", f"{match[2]}.{match[3]}")), True)
    return WordRule(values, True, match[2])


def with_channels(words: Words, index: int, rule: WordRule) -> ReleaseTag:
    """`DDP5.1` is split into the words `DDP5` and `1`."""
    last = index + 1
    if last < words.count and words.lower[last] in ("0", "1", "1ch", "0ch"):
        channels = TagValue("channels", f"{rule.speakers}.{words.lower[last][0]}")
        return ReleaseTag(index, last + 1, "audio", (*rule.values, channels), True)
    return ReleaseTag(index, last, "audio", rule.values, True)
