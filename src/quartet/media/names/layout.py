"""Where the title may stand: behind leading tags, or inside a bracket of its own."""

import re
from typing import NamedTuple

from quartet.media.names.facts import Fact
from quartet.media.names.tables.languages import CODES, CODES_TOO
from quartet.media.names.tables.numbering import EPISODES
from quartet.media.names.tables.titles import OPENERS
from quartet.media.names.words import Words

# `www.site.tv - Title`, also in brackets or with blanks for dots.
SITE = re.compile(r"[\s\[({【_-]*ww+w?[\s.,][\w-]{1,40}[\s.][a-z]{2,8}[\])}】\s]*[\s_-]+", re.I)
# `[Group] 86 - 05`: a title that is a number.
NUMBER_TITLE = re.compile(r"[\[(][^\[\]()]+[\])][\s_.]*\d[\d-]*[\s_.]+(?:-[\s_.]+|s)\d", re.I)
VOWELS = frozenset("aeiouy")
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
    # `grp-title.2016.1080p.mkv`: the first word is the group.
    group_first: bool = False


def read(words: Words, facts: list[Fact]) -> Layout:
    found = where(words, facts)
    first = behind_facts(found.first, words, facts) if facts else found.first
    return found if first == found.first else found._replace(first=first)


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
        return without_bracket(words, facts, checksum)
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


def without_bracket(words: Words, facts: list[Fact], checksum: bool) -> Layout:
    whole = len(words.text)
    if checksum and (behind := behind_tag(words, facts)):
        return Layout(behind, whole, fansub=True, tagged=True)
    gap = words.gap(1) if words.count > 2 else ""
    if gap == " - " and is_language(words.raw[0].upper()):
        return Layout(1, whole, checksum)
    if gap == "-" and is_group_first(words, facts):
        return Layout(1, whole, checksum, group_first=True)
    return Layout(0, whole, checksum)


def behind_tag(words: Words, facts: list[Fact]) -> int | None:
    """The title of `Bot.[Group] Title - 01 [0A1B2C3D]`, whose first word is nobody's."""
    if words.count < 4 or not words.brackets[1] or words.spans[0][0] > words.starts[1]:
        return None
    first = next((i for i in range(1, words.count) if words.brackets[i] != 1), words.count - 1)
    known = any(fact.first <= first for fact in facts)
    named = words.raw[first].isalpha() and "-" not in words.gap(first)
    return first if named and not known and not words.brackets[first] else None


def is_language(code: str) -> bool:
    """`FR - Some Film`, as some list their films; `IT - Some Film` may be the film."""
    return code in CODES and code not in CODES_TOO


def is_group_first(words: Words, facts: list[Fact]) -> bool:
    """As the scene calls its files: nothing at the end, and no such word has a hyphen."""
    if words.gap(2) != "." or " " in words.text:
        return False
    if not facts or not facts[0].first or facts[-1].last != words.count:
        return False
    word = words.raw[0]
    odd = not (word.islower() or word.isupper() or word.istitle())
    unspoken = len(word) > 2 and VOWELS.isdisjoint(words.lower[0])
    return word.isalpha() and (odd or unspoken or words.lower[1] in OPENERS)


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
        if chosen and inside and words.lower[inside[0]] in EPISODES:
            break
        title = [i for i in inside if i not in known and not words.raw[i].isdigit()]
        if not title or title[0] != inside[0]:
            if chosen:
                break
            continue
        latin = any(words.raw[i].isascii() for i in title)
        chosen.append((number, latin))
    if not chosen:
        # `(CD2) Movie`: only a word that says little is left.
        outside = next((i for i, at in enumerate(words.brackets) if not at), 0)
        return Layout(outside, len(words.text), checksum)
    rest = chosen[1:] or chosen
    number = next((at for at, latin in reversed(rest) if latin), rest[-1][0])
    first = words.brackets.index(number)
    return Layout(first, words.spans[number - 1][1], fansub=True, tagged=first > 0)


def is_number_outside(words: Words, index: int) -> bool:
    return not words.brackets[index] and words.raw[index].isdigit()
