"""Tells release tags from the same words in a title."""

from collections.abc import Callable

from quartet.media.names.name_layout import NameLayout
from quartet.media.names.release_tags import ReleaseTag
from quartet.media.names.tables.languages import ALSO_TITLE_WORDS
from quartet.media.names.tables.titles import ARTICLES, INCOMPLETE
from quartet.media.names.vocabulary import TagValue
from quartet.media.names.words import Words

# Kinds accepted as tags right before a year or the episode numbers.
PLAUSIBLE_BEFORE = frozenset(("edition", "flag", "complete", "language"))
# Kinds that are not part of the title when alone in brackets.
BRACKETED = frozenset(
    ("source", "edition", "flag", "complete", "language", "label", "hdr", "audio", "channels")
)
# `The Final Season` is a title.
LAST_WORDS = frozenset(("final", "last", "first", "off"))
SUBTITLES = TagValue("noise", "subtitles")
# Right after the title of an episode these belong to it: `Christmas Special`, `Love 2.0`.
AFTER_EPISODE_TITLE = frozenset(("format", "channels"))
# Between two words of a title.
SEPARATORS = frozenset((" ", ".", "_"))


class AcceptedTags:
    """Collects the words that are tags, each by the word it starts with."""

    __slots__ = ("accepted", "behind", "firsts", "lasts", "layout", "strong", "words", "year")

    def __init__(
        self,
        words: Words,
        tags: list[ReleaseTag],
        layout: NameLayout,
        year: int | None,
        behind: int,
    ) -> None:
        self.words = words
        self.layout = layout
        self.year = year
        # The word with which the title of an episode may start.
        self.behind = behind
        self.firsts = {tag.first: tag for tag in tags}
        self.lasts = {tag.last: tag for tag in tags}
        self.accepted: dict[int, ReleaseTag] = {}
        self.strong = strong = next(
            (tag.first for tag in tags if tag.strong and tag.first >= layout.first), words.count
        )
        for tag in tags:
            if tag.strong or tag.first > strong or self._is_bracketed(tag):
                self.accepted[tag.first] = tag
        if strong == words.count:
            self.accepted |= {tag.first: tag for tag in tags if self._is_capitalised_source(tag)}

    def _is_capitalised_source(self, tag: ReleaseTag) -> bool:
        """`Film.2.TS.Somebody`: the word is in capitals while the title is not."""
        raw = self.words.raw
        return (
            tag.kind == "source"
            and tag.first > self.layout.first + 1
            and raw[tag.first].isupper()
            and not raw[self.layout.first].isupper()
            and " " not in self.words.text
        )

    def _is_bracketed(self, tag: ReleaseTag) -> bool:
        kind = tag.kind
        if kind == "complete" and tag.first > self.layout.first:
            return tag.last < self.words.count and "[" in self.words.gaps[tag.last]
        if kind == "code" and tag.first < self.layout.first:
            return True
        if not self.words.brackets[tag.first] or kind not in BRACKETED:
            return False
        return tag.first < self.layout.first or self.words.gaps[tag.first][-1:] in "[({【"

    def accept_backwards(self, place: int, is_plausible: Callable[[ReleaseTag], bool]) -> None:
        """Accept the tags directly before this word."""
        while (tag := self.lasts.get(place)) and is_plausible(tag):
            if not tag.strong and (self.completes_phrase(tag) or self.ends_episode_title(tag)):
                break
            self.accepted[tag.first] = tag
            place = tag.first

    def completes_phrase(self, tag: ReleaseTag) -> bool:
        """`The Final Cut` and `Pardon My French`: no title ends with the word before the tag."""
        before = tag.first - 1
        return (
            before > self.layout.first
            and self.words.lower[before] in INCOMPLETE
            and self.words.gaps[tag.first] in SEPARATORS
        )

    def ends_episode_title(self, tag: ReleaseTag) -> bool:
        """`Dead End`, `Christmas Special`, `A Tangled Web`."""
        first = tag.first
        follows_title = first > self.behind and first not in self.lasts
        if not follows_title or self.words.gaps[first] not in SEPARATORS:
            return False
        if tag.kind in AFTER_EPISODE_TITLE:
            return True
        if self.words.raw[first].isupper():
            return False
        if tag.kind == "source":
            return tag.last == self.words.count or any(
                other.kind == "source" and other.first > first for other in self.firsts.values()
            )
        if tag.kind == "service":
            return tag.last not in self.firsts
        return tag.kind == "ending" or self.is_title_word(tag)

    def end_of_tags(self, place: int) -> int:
        """Return the index of the word after the tags that start here."""
        while tag := self.firsts.get(place):
            place = tag.last
        return place

    def accept(self, place: int, end: int) -> None:
        while place < end and (tag := self.firsts.get(place)):
            self.accepted[tag.first] = tag
            place = tag.last

    def accept_sources(self, place: int) -> None:
        """`2024.d.ru.ua.ts`: after a year even a weak source word is a tag."""
        for tag in self.firsts.values():
            if tag.first >= place and tag.kind == "source":
                self.accepted[tag.first] = tag

    def words_before(self, tag: ReleaseTag) -> int:
        """Return how many title words come before the tag, not counting a lone article."""
        left = tag.first - self.layout.first
        return left - (left == 1 and self.words.lower[self.layout.first] in ARTICLES)

    def is_plausible_before_numbers(self, tag: ReleaseTag) -> bool:
        """A language needs a title of two words before it: `The English 2022` is a title.

        In capitals, in a title that is not, one word is enough.
        """
        left = self.words_before(tag)
        kind = tag.kind
        word = self.words.raw[tag.first]
        first = self.words.raw[self.layout.first]
        all_caps = word.isupper() and not first.isupper()
        if kind == "language":
            if self.words.lower[tag.first - 1] in ARTICLES:
                return False
            # `Un village français S01 FRENCH`: the language is given after the numbers.
            if not word.isupper() and self.has_later_language(tag):
                return False
            return left > (0 if all_caps else 1) and (len(word) > 3 or word.isupper())
        if word.lower() in ("season", "seasons") and self.words.lower[tag.first - 1] in LAST_WORDS:
            return False
        # `[Group] Quiet Harbour Ultimate - 09`: editions of episodes are rarely called so.
        if self.layout.fansub and word.lower() == "ultimate" and tag.last == tag.first + 1:
            return False
        if kind == "noise":
            # `CUSTOM 2022` is a tag, but `Saw 3D` is a title.
            return left > 0 and len(word) > 2 and all_caps
        return (
            left > 0
            and kind in PLAUSIBLE_BEFORE
            and (len(word) > 2 or (kind == "edition" and word.isupper()))
        )

    def has_later_language(self, tag: ReleaseTag) -> bool:
        return any(
            at > tag.first and (other.kind == "language" or other.values[0] == SUBTITLES)
            for at, other in self.firsts.items()
        )

    def is_plausible_before_year(self, tag: ReleaseTag) -> bool:
        """`The Last Season 2019` is a title; in `The Show Complete 2019` the word is a tag."""
        word = self.words.lower[tag.first]
        if word == "3d":
            # On a complete disc `3D` is a tag; otherwise many titles end with it.
            return self.words_before(tag) > 0 and "complete" in self.words.lower
        if tag.kind == "language" and not self.words.raw[tag.first].isupper():
            return self.is_language(tag)
        return self.is_plausible_before_numbers(tag) and word not in (
            "season",
            "seasons",
            "all",
            "collection",
        )

    def is_language(self, tag: ReleaseTag) -> bool:
        """`Harbour French 2011`, unless languages follow the year."""
        behind = self.year or 0
        if any(at > behind and f.kind == "language" for at, f in self.firsts.items()):
            return False
        left, word = self.words_before(tag), self.words.lower[tag.first]
        # `Johnny English 2003`: one title word is enough for any language except English.
        one = left == 1 and len(word) > 3 and tag.values[0].value != "en"
        return one or self.is_plausible_before_numbers(tag)

    def is_plausible_after_title(self, tag: ReleaseTag) -> bool:
        """Accept tags before the first strong one, unless the word may end the title: `Mad Max
        1080p`.
        """
        left = self.words_before(tag)
        kind = tag.kind
        if self.is_title_word(tag):
            return False
        if kind == "service":
            raw = self.words.raw
            return left > 0 and raw[tag.first].isupper() and not raw[tag.first - 1].isupper()
        if kind in ("language", "code"):
            # `Harbour.German.DL.1080p`: in scene names one title word is enough.
            scene = kind == "language" and tag.last in self.firsts and " " not in self.words.text
            other = scene and tag.values[0].value != "en"
            return left > 1 or (left > 0 and (other or tag.last - tag.first > 1))
        return left > 0 and kind not in ("format", "ending")

    def is_title_word(self, tag: ReleaseTag) -> bool:
        """`My Friend Dan 1080p`, and `My Life in French` without any other tag."""
        word = self.words.raw[tag.first]
        if tag.kind not in ("language", "noise", "complete") or word.isupper():
            return False
        alone = tag.first + 1 == self.words.count and " " in self.words.text
        return alone or word.lower() in ALSO_TITLE_WORDS
