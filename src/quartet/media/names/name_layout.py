"""Finds where the title starts: after leading tags, or in its own bracket."""

import re

import msgspec
from msgspec.structs import replace

from quartet.media.names.release_tags import ReleaseTag
from quartet.media.names.tables.groups import KNOWN_GROUPS
from quartet.media.names.tables.languages import ALSO_TITLE_CODES, CODES
from quartet.media.names.tables.numbering import EPISODES
from quartet.media.names.tables.titles import OPENERS
from quartet.media.names.words import Words

# `www.site.tv - Title`, also in brackets or with spaces instead of dots.
SITE = re.compile(r"[\s\[({【_-]*ww+w?[\s.,][\w-]{1,40}[\s.][a-z]{2,8}[\])}】\s]*[\s_-]+", re.I)
# `[Group] 86 - 05`: the title is a number.
NUMBER_TITLE = re.compile(
    r"[\[(][^\[\]()]+[\])][\s_.]*\d[\d-]*[\s_.]+(?:-[\s_.]+|s|ep?|(?=\d\d)(?!\d{3,4}[ip])"
    r"|(?=\d[a-z]{2}[\s_.]))\d",
    re.I,
)
# `[Group] Pluto - 05`: the title is also a streaming service, a language or another tag.
TAG_TITLE = re.compile(
    r"[\[(][^\[\]()]+[\])][\s_.]*(?=[^\W\d_])[\w']+[\s_.]+-[\s_.]+(?:s\d+)?(?:ep?)?\d", re.I
)
# `[REC].2007.`: the title may be in the bracket.
TAGGED_YEAR = re.compile(r"\[[^\[\]()]+\][\s_.]*(?:19|20)\d\d(?![^\W_])")
# A bracket that contains only an episode: `[第37话]`, `[10v2]`.
EPISODE_ONLY = re.compile(r"第?\d{1,4}(?:v\d|[話话集回])?$|全\d{1,4}[話话集回]$")
VOWELS = frozenset("aeiouy")
# A word with digits that ends with this many letters is part of a title: `11eyes`.
LETTERS = 2
# Kinds of words that do not occur in group names.
NOT_IN_GROUP_NAMES = frozenset(("source", "language", "label", "edition", "flag"))


class NameLayout(msgspec.Struct, frozen=True, gc=False):
    # Index of the title's first word, and the end offset of its bracket or of the text.
    first: int
    limit: int
    # `[Group] Title - 01 [0A1B2C3D]`: bare numbers are episodes.
    fansub: bool
    # The name starts with a bracket that may contain the group.
    tagged: bool = False
    # `grp-title.2016.1080p.mkv`: the first word is the group.
    group_first: bool = False


def read(words: Words, tags: list[ReleaseTag]) -> NameLayout:
    found = find_layout(words, tags)
    first = after_tags(found.first, words, tags) if tags else found.first
    return found if first == found.first else replace(found, first=first)


def after_tags(first: int, words: Words, tags: list[ReleaseTag]) -> int:
    """`HD 720p: Title` and `h265 Title 1080p`: the release tags precede the title."""
    place, strong = first, False
    for tag in tags:
        if tag.first == place:
            tag_found = tag.strong and tag.kind in ("resolution", "source", "video")
            place, strong = tag.last, strong or tag_found
    named = any(word.isalpha() for word in words.raw[place : place + 2])
    return place if strong and place < words.count and named else first


def find_layout(words: Words, tags: list[ReleaseTag]) -> NameLayout:
    text = words.text
    whole = len(text)
    if text[:12].lower().find("ww") >= 0 and (site := SITE.match(text)):
        return NameLayout(words.at(site.end()), whole, False)
    checksum = bool(words.spans) and any(tag.kind == "checksum" for tag in tags)
    if not words.count or not words.brackets[0]:
        return without_bracket(words, tags, checksum)
    if not has_text_outside(words, tags) and not (
        NUMBER_TITLE.match(text) or TAG_TITLE.match(text)
    ):
        return in_brackets(words, tags, checksum)
    # `(500) Days of Summer` is a title, but `(1)Title` is a copy number.
    number = words.raw[0].isdigit() and len(words.raw[0]) != 4
    end = words.spans[0][1]
    if number and text[0] == "(" and words.ends[0] + 1 == end and text[end : end + 1] in " ._":
        return NameLayout(0, whole, checksum)
    first = 0
    while first < words.count and words.brackets[first]:
        first += 1
    if is_title_bracket(words, tags, first):
        return NameLayout(0, end, False)
    return NameLayout(first, whole, is_group_bracket(words, tags, first) or checksum, tagged=True)


def without_bracket(words: Words, tags: list[ReleaseTag], checksum: bool) -> NameLayout:
    whole = len(words.text)
    if checksum and (behind := title_after_bot_word(words, tags)):
        return NameLayout(behind, whole, fansub=True, tagged=True)
    gap = words.gaps[1] if words.count > 2 else ""
    if gap == " - " and is_language(words.raw[0].upper()):
        return NameLayout(1, whole, checksum)
    if gap == "-" and is_group_first(words, tags):
        return NameLayout(1, whole, checksum, group_first=True)
    return NameLayout(0, whole, checksum)


def title_after_bot_word(words: Words, tags: list[ReleaseTag]) -> int | None:
    """Return the index of the title in `Bot.[Group] Title - 01 [0A1B2C3D]`."""
    if words.count < 4 or not words.brackets[1] or words.spans[0][0] > words.starts[1]:
        return None
    first = next((i for i in range(1, words.count) if words.brackets[i] != 1), words.count - 1)
    known = any(tag.first <= first for tag in tags)
    named = words.raw[first].isalpha() and "-" not in words.gaps[first]
    return first if named and not known and not words.brackets[first] else None


def is_language(code: str) -> bool:
    """`FR - Some Film` starts with a language; `IT - Some Film` may be the movie's title."""
    return code in CODES and code not in ALSO_TITLE_CODES


def is_group_first(words: Words, tags: list[ReleaseTag]) -> bool:
    """Return True for scene file names, which have the group in front and no tag at the end."""
    if words.gaps[2] != "." or " " in words.text:
        return False
    word = words.raw[0]
    if not tags:
        consonants = len(word) > 2 and VOWELS.isdisjoint(words.lower[0])
        return consonants and words.text.islower() and words.raw[-1].isdigit()
    if not tags[0].first or tags[-1].last != words.count:
        return False
    if words.text.islower() and words.lower[0] in KNOWN_GROUPS:
        return True
    odd = not (word.islower() or word.isupper() or word.istitle())
    unspoken = len(word) > 2 and VOWELS.isdisjoint(words.lower[0])
    return word.isalpha() and (odd or unspoken or words.lower[1] in OPENERS)


def is_title_bracket(words: Words, tags: list[ReleaseTag], first: int) -> bool:
    """`[REC].2007.1080p.BluRay-GRP`: only the year is between the bracket and the tags."""
    if not TAGGED_YEAR.match(words.text):
        return False
    known = {tag.first for tag in tags}
    return first + 1 in known and known.isdisjoint(range(first))


def is_group_bracket(words: Words, tags: list[ReleaseTag], first: int) -> bool:
    """Return False if the leading bracket contains a tag, a site or a number."""
    if any(tag.first < first and (tag.strong or tag.kind in NOT_IN_GROUP_NAMES) for tag in tags):
        return False
    # A year or a position in a list. A group may be called `224`.
    if first == 1 and words.raw[0].isdigit() and len(words.raw[0]) != 3:
        return False
    inside = words.text[words.spans[0][0] : words.spans[0][1]]
    return "www" not in inside.lower()


def has_text_outside(words: Words, tags: list[ReleaseTag]) -> bool:
    known = {index for tag in tags for index in range(tag.first, tag.last)}
    return any(
        not bracket and index not in known and is_text(words.raw[index])
        for index, bracket in enumerate(words.brackets)
    )


def is_text(word: str) -> bool:
    """Also `11eyes`, but not `10v2` or `24話`."""
    return word.replace("'", "").isalpha() or (word.isascii() and word[-LETTERS:].isalpha())


def in_brackets(words: Words, tags: list[ReleaseTag], checksum: bool) -> NameLayout:
    """`[Group][原題][Title][04][1080p]`: use the last bracket with words before the numbers."""
    known = {index for tag in tags for index in range(tag.first, tag.last)}
    chosen: list[tuple[int, bool]] = []
    for number in range(1, len(words.spans) + 1):
        inside = [index for index, at in enumerate(words.brackets) if at == number]
        # A number between two brackets is the episode; the title comes before it.
        if chosen and inside and is_number_outside(words, inside[0] - 1):
            break
        if chosen and inside and words.lower[inside[0]] in EPISODES:
            break
        title = [i for i in inside if i not in known and not EPISODE_ONLY.match(words.lower[i])]
        if not title or title[0] != inside[0]:
            if chosen:
                break
            continue
        latin = any(words.raw[i].isascii() for i in title)
        chosen.append((number, latin))
    if not chosen:
        # `(CD2) Movie`: only a generic word is left.
        outside_error = next((i for i, at in enumerate(words.brackets) if not at), 0)
        return NameLayout(outside_error, len(words.text), checksum)
    rest = chosen[1:] or chosen
    number = next((at for at, latin in reversed(rest) if latin), rest[-1][0])
    first = words.brackets.index(number)
    return NameLayout(first, words.spans[number - 1][1], fansub=True, tagged=first > 0)


def is_number_outside(words: Words, index: int) -> bool:
    return not words.brackets[index] and words.raw[index].isdigit()
