"""Where the title may stand: behind leading tags, or inside a bracket of its own."""

import re
from typing import NamedTuple

from quartet.media.names.facts import Fact
from quartet.media.names.words import Words

# `www.site.tv - Title`, also in brackets or with blanks for dots.
SITE = re.compile(r"[\s\[({【_-]*ww+w?[\s.,][\w-]{1,40}[\s.][a-z]{2,8}[\])}】\s]*[\s_-]+", re.I)
# `[Group] 86 - 05`: a title that is a number.
NUMBER_TITLE = re.compile(r"[\[(][^\[\]()]+[\])][\s_.]*\d[\d-]*[\s_.]+(?:-[\s_.]+|s)\d", re.I)
# Kinds of words that no group has in its name.
TOLD = frozenset(("source", "language", "label", "edition", "flag"))


class Layout(NamedTuple):
    # The first word of the title, and where its bracket ends if it stands in one.
    first: int
    limit: int
    # `[Group] Title - 01 [0A1B2C3D]`: loose numbers count as episodes.
    fansub: bool
    # A bracket stands first, and may hold the group.
    tagged: bool = False


def read(words: Words, facts: list[Fact]) -> Layout:
    found = where(words, facts)
    return found._replace(first=behind_facts(found.first, words, facts))


def behind_facts(first: int, words: Words, facts: list[Fact]) -> int:
    """`HD 720p: Title` and `h265 Title 1080p`: a release told before its title."""
    place, strong = first, False
    for fact in facts:
        if fact.first == place:
            told = fact.strong and fact.tokens[0].kind in ("resolution", "source", "video")
            place, strong = fact.last, strong or told
    named = any(word.isalpha() for word in words.raw[place : place + 2])
    return place if strong and place < words.count and named else first


def where(words: Words, facts: list[Fact]) -> Layout:
    text = words.text
    whole = len(text)
    if text[:12].lower().find("ww") >= 0 and (site := SITE.match(text)):
        return Layout(words.at(site.end()), whole, False)
    checksum = bool(words.spans) and any(fact.tokens[0].kind == "checksum" for fact in facts)
    if not words.count or not words.brackets[0]:
        return Layout(0, whole, checksum)
    if not has_text_outside(words, facts) and not NUMBER_TITLE.match(text):
        return in_brackets(words, facts, checksum)
    # `(500) Days of Summer`, but `(1)Title` is the first of several.
    number = words.raw[0].isdigit() and len(words.raw[0]) != 4
    end = words.spans[0][1]
    if number and text[0] == "(" and words.ends[0] + 1 == end and text[end : end + 1] in " ._":
        return Layout(0, whole, checksum)
    first = 0
    while first < words.count and words.brackets[first]:
        first += 1
    return Layout(first, whole, is_tag(words, facts, first) or checksum, tagged=True)


def is_tag(words: Words, facts: list[Fact], first: int) -> bool:
    """A leading bracket with a fact, a site or a number in it names no fansub group."""
    if any(fact.first < first and (fact.strong or fact.tokens[0].kind in TOLD) for fact in facts):
        return False
    # A year or the place in a row; a group may be called `224`.
    if first == 1 and words.raw[0].isdigit() and len(words.raw[0]) != 3:
        return False
    inside = words.text[words.spans[0][0] : words.spans[0][1]]
    return "www" not in inside.lower()


def has_text_outside(words: Words, facts: list[Fact]) -> bool:
    known = {index for fact in facts for index in range(fact.first, fact.last)}
    return any(
        not bracket and index not in known and words.raw[index].replace("'", "").isalpha()
        for index, bracket in enumerate(words.brackets)
    )


def in_brackets(words: Words, facts: list[Fact], checksum: bool) -> Layout:
    """`[Group][原題][Title][04][1080p]`: the last bracket with words before the numbers."""
    known = {index for fact in facts for index in range(fact.first, fact.last)}
    chosen: list[tuple[int, bool]] = []
    for number in range(1, len(words.spans) + 1):
        inside = [index for index, at in enumerate(words.brackets) if at == number]
        # A number between two brackets is the episode; the title stands before it.
        if chosen and inside and is_number_outside(words, inside[0] - 1):
            break
        title = [i for i in inside if i not in known and not words.raw[i].isdigit()]
        if not title or title[0] != inside[0]:
            if chosen:
                break
            continue
        latin = any(words.raw[i].isascii() for i in title)
        chosen.append((number, latin))
    if not chosen:
        return Layout(0, len(words.text), checksum)
    rest = chosen[1:] or chosen
    number = next((at for at, latin in reversed(rest) if latin), rest[-1][0])
    first = words.brackets.index(number)
    return Layout(first, words.spans[number - 1][1], fansub=True, tagged=first > 0)


def is_number_outside(words: Words, index: int) -> bool:
    return not words.brackets[index] and words.raw[index].isdigit()
