"""Finds the release group: after the last dash, in the leading bracket or at the end."""

import re

from quartet.media.names.name_layout import NameLayout
from quartet.media.names.release_tags import HEX, ReleaseTag, by_rule
from quartet.media.names.tables.groups import DOMAINS, NO_GROUPS, REPOSTERS, SUFFIXES
from quartet.media.names.tables.numbering import EPISODES, SEASONS
from quartet.media.names.vocabulary import INDEX
from quartet.media.names.words import Words

# Only this many characters at the end of a name are searched for a bracket, which has at most 40.
TAIL = 120
LONGEST = 40
CLOSING = frozenset("])}")
SUFFIX = re.compile(rf"(?:[-.](?:{'|'.join(SUFFIXES)}))+$", re.I)
TRAILING = re.compile(r"[\[({]([^\[\](){}]{1,40})[\])}][\s.]*$")
DASHED = re.compile(r"[\s.]?([^\W_][\w@&!.]{0,39})$")
# `x264-re-encoded.GROUP`
ENCODED_AGAIN = re.compile(r"(?<=-)re-?enc(?:oded)?[\s._-]", re.I)
NUMBER_WORDS = EPISODES | SEASONS
SIGNATURE_WORDS = frozenset(("by", "par"))
SIGNED = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(SIGNATURE_WORDS)})[\s._]([^\W_][\w-]*(?:\s[\w-]+)?)$", re.I
)
NUMBERED = re.compile(r"s\d{1,2}e\d|\d{1,2}x\d|ep?\d{1,4}$", re.I)
# Kinds that are a few capital letters, like many group names.
SHORT = frozenset(("code", "service", "noise"))
# Kinds that may follow the group.
ADDED = frozenset(("language", "code", "flag", "noise"))
FIRST_WORD = re.compile(r"[^\W_]+")


def find(words: Words, layout: NameLayout, tags: list[ReleaseTag]) -> str | None:
    if layout.group_first:
        return words.raw[0]
    text = words.text.rstrip(" ._")
    tail = None
    if words.count and words.lower[-1] in SUFFIXES:
        text = SUFFIX.sub("", text)
    if text[-1:] in CLOSING:
        text, tail = without_brackets(text)
    if tags and len(text) < words.ends[-1]:
        end = words.at(len(text))
        tags = [tag for tag in tags if tag.first < end]
    if tags and tags[-1].kind == "resolution":
        tags = without_label_as_group(words, tags)
    if tags and (found := signed(words, text, tags) or dashed(words, text, tags)):
        return found
    if layout.tagged and layout.fansub:
        start, end = words.spans[0]
        group = words.text[start:end].strip(" []{}()【】_")
        if not is_reposter(group) and not NUMBERED.match(group):
            return group
    return tail or last_word(words, tags, len(text)) or encoder_site(words.text)


def encoder_site(text: str) -> str | None:
    """`[1080p] [5.1] [YTS.MX]`: this site encodes too, so it is the group if there is no other."""
    match = TRAILING.search(text, max(0, len(text) - TAIL)) if "[YTS" in text else None
    return match[1] if match and is_reposter(match[1]) else None


def without_label_as_group(words: Words, tags: list[ReleaseTag]) -> list[ReleaseTag]:
    """`1080p.x264-FHD`: with a written resolution, such a word after the last dash is a group."""
    last = tags[-1]
    if last.last != words.count:
        return tags
    word = words.lower[last.first]
    written = any(
        tag.kind == "resolution" and words.lower[tag.first][0].isdigit() for tag in tags[:-1]
    )
    alone = last.last - last.first == 1 and word.isalpha() and words.gaps[last.first] == "-"
    return tags[:-1] if alone and written else tags


def without_brackets(text: str) -> tuple[str, str | None]:
    """Return the name without the brackets at its end, and the group found in one of them."""
    tail = None
    while text[-1:] in CLOSING:
        start = max(text.rfind("["), text.rfind("("), text.rfind("{"))
        inside = text[start + 1 : -1]
        if start < 1 or not 0 < len(inside) <= LONGEST or not CLOSING.isdisjoint(inside):
            break
        tail = tail or group_in_bracket(inside, dashed=text[start - 1] == "-")
        text = text[:start].rstrip(" ._-")
    return text, tail


def group_in_bracket(inside: str, *, dashed: bool) -> str | None:
    """Return the word in a bracket at the end, or after its tags, if it may be a group."""
    word = inside.strip()
    if by := SIGNED.search(word):
        return by[1]
    if " " in word:
        *_, before, last = word.split()
        return (
            last
            if last.isalpha()
            and last.lower() not in NUMBER_WORDS
            and is_release_word(before)
            and not is_release_word(last)
            else None
        )
    if not word or is_reposter(word):
        return None
    first = FIRST_WORD.search(word.lower())
    if (
        NUMBERED.match(word)
        or not first
        or first[0] in INDEX
        or first[0] in NUMBER_WORDS
        or HEX.match(word)
    ):
        return None
    return word if dashed or not word[0].isdigit() else None


def is_release_word(word: str) -> bool:
    lower = word.lower()
    return lower in INDEX or lower[0].isdigit() or by_rule(lower) is not None


def is_reposter(word: str) -> bool:
    lower = word.lower()
    if lower in REPOSTERS or lower in DOMAINS or "www" in lower:
        return True
    return "." in lower and lower.rpartition(".")[2] in DOMAINS


def signed(words: Words, text: str, tags: list[ReleaseTag]) -> str | None:
    """`WEBRip by Somebody`"""
    if SIGNATURE_WORDS.isdisjoint(words.lower):
        return None
    match = SIGNED.search(text, words.starts[tags[0].first])
    if not match or tags[-1].last > words.at(match.start()):
        return None
    return match[1]


def dashed(words: Words, text: str, tags: list[ReleaseTag]) -> str | None:
    text = text.rstrip(" ._-])")
    if found := behind_dash(words, text, tags):
        return found
    # `XviD-GROUP.Eng.Subs`
    last = words.at(len(text))
    kept = len(tags)
    while kept and tags[kept - 1].last == last and tags[kept - 1].kind in ADDED:
        kept -= 1
        last = tags[kept].first
    if not 0 < kept < len(tags):
        return None
    return behind_dash(words, text[: words.ends[last - 1]], tags[:kept])


def behind_dash(words: Words, text: str, tags: list[ReleaseTag]) -> str | None:
    text = ENCODED_AGAIN.sub("", text) if "enc" in text else text
    dash = text.rfind("-")
    match = DASHED.match(text, dash + 1)
    if not match or dash <= words.starts[tags[0].first]:
        return None
    place = words.at(dash)
    if not is_plausible(match[1], place, tags):
        return None
    first = place - 1
    if words.ends[first] == dash and is_first_half(words, first, tags):
        return text[words.starts[first] :]
    return match[1]


def is_first_half(words: Words, index: int, tags: list[ReleaseTag]) -> bool:
    """`x264-SOME-GROUP` and `x264.D-GROUP`. Two letters there are a codec profile."""
    letters = len(words.raw[index])
    if letters != 1 and (letters < 3 or words.gaps[index] != "-"):
        return False
    unknown = all(tag.first != index for tag in tags)
    return unknown and any(tag.last == index for tag in tags)


def is_plausible(group: str, place: int, tags: list[ReleaseTag]) -> bool:
    """Return False for a word that is a tag, or that more tags follow: `WEB-DL.H.265`."""
    lower = group.lower()
    if lower in NO_GROUPS or is_reposter(lower):
        return False
    if not lower.isalpha() and (lower.isdigit() or NUMBERED.match(lower)):
        return False
    for tag in reversed(tags):
        if tag.last <= place:
            break
        token = tag.values[0]
        if token.value != "sample" and (token.kind not in SHORT or tag.first != place):
            return False
    return True


def last_word(words: Words, tags: list[ReleaseTag], end: int) -> str | None:
    """`1080p.x265.GROUP`, also as the last word of a bracket with tags."""
    last = words.at(end) - 1
    if not tags or tags[-1].last != last or not any(tag.strong for tag in tags):
        return None
    if words.brackets[last] and words.brackets[last] != words.brackets[last - 1]:
        return None
    word = words.raw[last]
    known = word.isdigit() or word.lower() in NO_GROUPS
    return word if not known and (len(word) > 2 or word.isupper()) else None
