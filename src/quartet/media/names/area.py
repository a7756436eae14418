"""Tells the words of the release from the same words in a title, and so where the title ends."""

import re
from collections.abc import Callable
from typing import NamedTuple

from quartet.media.names import extras
from quartet.media.names.facts import PLAIN as VERSION
from quartet.media.names.facts import Fact
from quartet.media.names.layout import Layout
from quartet.media.names.numbers import Numbers
from quartet.media.names.tables.languages import NAMES_TOO
from quartet.media.names.tables.numbering import PARTS, VIDEO_ANIMATIONS
from quartet.media.names.tables.titles import ARTICLES
from quartet.media.names.words import Words

# Kinds that are believed right before a year or before the numbers of an episode.
BEFORE = frozenset(("edition", "flag", "complete", "language"))
# Kinds that alone in a bracket are no part of a title.
BRACKETED = frozenset(
    ("source", "edition", "flag", "complete", "language", "label", "hdr", "audio", "channels")
)


# `Part 1 and Part 2`; one part alone belongs to the title of a film.
SEVERAL_PARTS = re.compile(
    rf"(?<=[\s._])(?P<part>{'|'.join(PARTS)})[\s._]\w{{1,5}}[\s._](?:and|und|et|&|\+)"
    r"[\s._](?P=part)[\s._]\w",
    re.I,
)
TECHNICAL = frozenset(("source", "label", "hdr", "audio", "channels"))


class Area(NamedTuple):
    facts: list[Fact]
    # Where the title ends in the text.
    end: int
    # Where it ends if the first fact behind it is one of its words: `The Good German 2006`.
    later_end: int | None = None


class Reader:
    def __init__(self, words: Words, facts: list[Fact], layout: Layout, year: int | None) -> None:
        self.words = words
        self.layout = layout
        self.year = year
        self.firsts = {fact.first: fact for fact in facts}
        self.lasts = {fact.last: fact for fact in facts}
        strong = (fact.first for fact in facts if fact.strong and fact.first >= layout.first)
        self.strong = next(strong, words.count)
        self.taken = {
            fact.first: fact
            for fact in facts
            if fact.strong or fact.first > self.strong or self._bracketed(fact)
        }
        if self.strong == words.count:
            self.taken |= {fact.first: fact for fact in facts if self._shouted(fact)}

    def _shouted(self, fact: Fact) -> bool:
        """`Film.2.TS.Somebody`: in capitals, in a name that is not."""
        raw = self.words.raw
        return (
            fact.tokens[0].kind == "source"
            and fact.first > self.layout.first + 1
            and raw[fact.first].isupper()
            and not raw[self.layout.first].isupper()
            and " " not in self.words.text
        )

    def _bracketed(self, fact: Fact) -> bool:
        if fact.tokens[0].kind == "complete" and fact.first > self.layout.first:
            return fact.last < self.words.count and "[" in self.words.gap(fact.last)
        if fact.first < self.layout.first and fact.tokens[0].kind == "code":
            return True
        if not self.words.brackets[fact.first] or fact.tokens[0].kind not in BRACKETED:
            return False
        return fact.first < self.layout.first or self.words.gap(fact.first)[-1:] in "[({【"

    def back(self, place: int, believed: Callable[[Fact], bool]) -> None:
        """Takes the facts that stand without a gap before this word."""
        while (fact := self.lasts.get(place)) and believed(fact):
            self.taken[fact.first] = fact
            place = fact.first

    def forward(self, place: int) -> int:
        """The word after the facts that begin with this one."""
        while fact := self.firsts.get(place):
            place = fact.last
        return place

    def take(self, place: int, end: int) -> None:
        while place < end and (fact := self.firsts.get(place)):
            self.taken[fact.first] = fact
            place = fact.last

    def take_sources(self, place: int) -> None:
        """`2024.d.ru.ua.ts`: behind a year even a weak one is no word of a title."""
        for fact in self.firsts.values():
            if fact.first >= place and fact.tokens[0].kind == "source":
                self.taken[fact.first] = fact

    def words_before(self, fact: Fact) -> int:
        """How many words of a title are left before it; an article alone is none."""
        left = fact.first - self.layout.first
        return left - (left == 1 and self.words.lower[self.layout.first] in ARTICLES)

    def near_marker(self, fact: Fact) -> bool:
        """A language needs a title of two words before it: `The English 2022` is a title.

        In capitals, in a name that is not, one word is enough.
        """
        left = self.words_before(fact)
        kind = fact.tokens[0].kind
        word = self.words.raw[fact.first]
        first = self.words.raw[self.layout.first]
        shouted = word.isupper() and not first.isupper()
        if kind == "language":
            if self.words.lower[fact.first - 1] in ARTICLES:
                return False
            return left > (0 if shouted else 1) and (len(word) > 3 or word.isupper())
        if kind == "noise":
            # `CUSTOM 2022`; the film is called `Saw 3D`.
            return left > 0 and len(word) > 2 and shouted
        return (
            left > 0
            and kind in BEFORE
            and (len(word) > 2 or (kind == "edition" and word.isupper()))
        )

    def near_year(self, fact: Fact) -> bool:
        """`The Last Season 2019` is a title, `The Show Complete 2019` is none."""
        word = self.words.lower[fact.first]
        if word == "3d":
            # A whole disc says it nowhere else; many a film is called so.
            return self.words_before(fact) > 0 and "complete" in self.words.lower
        if fact.tokens[0].kind == "language" and not self.words.raw[fact.first].isupper():
            return self.is_language(fact)
        return self.near_marker(fact) and word not in ("season", "seasons", "all", "collection")

    def is_language(self, fact: Fact) -> bool:
        """`Harbour French 2011`, unless the languages are told behind the year."""
        behind = self.year or 0
        if any(at > behind and f.tokens[0].kind == "language" for at, f in self.firsts.items()):
            return False
        left, word = self.words_before(fact), self.words.lower[fact.first]
        # `Johnny English 2003`: one word is enough but for the language most films have.
        one = left == 1 and len(word) > 3 and fact.tokens[0].value != "en"
        return one or self.near_marker(fact)

    def past_title(self, fact: Fact) -> bool:
        """Before the first strong fact, where the same word may end the title: `Mad Max 1080p`."""
        left = self.words_before(fact)
        kind = fact.tokens[0].kind
        if self.is_title_word(fact):
            return False
        if kind == "service":
            raw = self.words.raw
            return left > 0 and raw[fact.first].isupper() and not raw[fact.first - 1].isupper()
        if kind in ("language", "code"):
            return left > 1 or (left > 0 and fact.last - fact.first > 1)
        return left > 0 and kind not in ("format", "ending")

    def is_title_word(self, fact: Fact) -> bool:
        """`My Friend Dan 1080p`, and `My Life in French`, where nothing else is told."""
        word = self.words.raw[fact.first]
        if fact.tokens[0].kind not in ("language", "noise", "complete") or word.isupper():
            return False
        alone = fact.first + 1 == self.words.count and " " in self.words.text
        return alone or (word.istitle() and word.lower() in NAMES_TOO)


def read(
    words: Words, facts: list[Fact], layout: Layout, numbers: Numbers | None, year: int | None
) -> Area:
    if is_all_facts(words, facts):
        return Area(facts, 0)
    reader = Reader(words, facts, layout, year)
    reader.back(reader.strong, reader.past_title)
    if year is not None:
        reader.back(year, reader.near_year)
        reader.take(year + 1, reader.forward(year + 1))
        reader.take_sources(year + 1)
    if numbers:
        marker = words.at(numbers.start)
        reader.back(marker, reader.near_marker)
        behind = words.at(numbers.end)
        after = reader.forward(behind)
        if after >= reader.strong or after in (words.count, year):
            reader.take(behind, after)
    if numbers or year is not None:
        least = max(words.at(numbers.start) if numbers else 0, year or 0)
        reader.back(words.count, lambda fact: fact.first > least)
    taken = [fact for fact in facts if fact.first in reader.taken]
    end = title_end(words, taken, layout, numbers, year)
    if year is None or end >= words.starts[year] or not (cut := reader.taken.get(words.at(end))):
        return Area(taken, end)
    return Area(taken, end, later_end(words, cut))


def later_end(words: Words, cut: Fact) -> int | None:
    word = words.raw[cut.first]
    spoken = cut.tokens[0].kind == "language" and not word.isupper()
    return words.ends[cut.last - 1] if spoken or word.lower() == "3d" else None


def is_all_facts(words: Words, facts: list[Fact]) -> bool:
    """`WEB.1080p` has no title, but `Cat` is one, though it is short for Catalan too."""
    if not facts or facts[0].first or facts[-1].last != words.count:
        return False
    told = sum(fact.last - fact.first for fact in facts if fact.tokens[0].kind != "format")
    return told == words.count and (facts[0].strong or facts[0].tokens[0].kind in TECHNICAL)


def title_end(
    words: Words, taken: list[Fact], layout: Layout, numbers: Numbers | None, year: int | None
) -> int:
    start = words.starts[layout.first] if layout.first < words.count else layout.limit
    ends = [layout.limit]
    if numbers and numbers.start > start:
        ends.append(numbers.start)
    if year is not None and words.starts[year] > start:
        ends.append(words.starts[year])
    if layout.fansub:
        found = (volume_at(words, layout), extras.theme_at(words, layout))
        ends += [place for place in found if place]
    if not PARTS.isdisjoint(words.lower) and (parts := SEVERAL_PARTS.search(words.text)):
        ends.append(parts.start())
    for fact in taken:
        if fact.first > layout.first:
            ends.append(words.starts[fact.first])
            break
    return min(ends)


def volume_at(words: Words, layout: Layout) -> int | None:
    """`Title Vol.3` of a fansub is a disc, and `Title ONA v2` its second try at one.

    Elsewhere such words may belong to the title.
    """
    for index in range(layout.first + 1, words.count - 1):
        word, following = words.lower[index], words.lower[index + 1]
        if word == "vol" and following[0].isdigit():
            return words.starts[index]
        if word in VIDEO_ANIMATIONS and VERSION.match(following):
            return words.starts[index]
    return None
