"""The release group: behind the last dash, in the leading bracket, or at the very end."""

import re

from quartet.media.names.facts import Fact
from quartet.media.names.layout import Layout
from quartet.media.names.tables.groups import NO_GROUPS, REPOSTERS, SUFFIXES
from quartet.media.names.vocabulary import INDEX
from quartet.media.names.words import Words

# At most so much of the end of a name is looked at.
TAIL = 120
CLOSING = frozenset("])}")
SUFFIX = re.compile(rf"(?:[-.](?:{'|'.join(SUFFIXES)}))+$", re.I)
TRAILING = re.compile(r"[\[({]([^\[\](){}]{1,40})[\])}][\s.]*$")
DASHED = re.compile(r"\s?([^\W_][\w@&!.]{0,39})$")
# Kinds that are a few letters in capitals, as the names of groups are.
SHORT = frozenset(("code", "service", "noise"))
FIRST_WORD = re.compile(r"[^\W_]+")


def find(words: Words, layout: Layout, facts: list[Fact]) -> str | None:
    text = SUFFIX.sub("", words.text.rstrip(" ._"))
    tail = None
    while text[-1:] in CLOSING and (match := TRAILING.search(text, max(0, len(text) - TAIL))):
        tail = tail or tag(match[1])
        text = text[: match.start()].rstrip(" ._")
    dash = text.rfind("-")
    dashed = DASHED.match(text, dash + 1) if facts else None
    if (
        dashed
        and dash > words.starts[facts[0].first]
        and believed(dashed[1], words.at(dash), facts)
    ):
        return dashed[1]
    if layout.tagged and layout.fansub:
        start, end = words.spans[0]
        return words.text[start:end].strip(" []()【】_")
    return tail or last_word(words, facts)


def believed(group: str, place: int, facts: list[Fact]) -> bool:
    """Not when it is one of the facts, or more of them follow: `WEB-DL.H.265`."""
    lower = group.lower()
    if lower in NO_GROUPS or lower.isdigit():
        return False
    behind = [fact.tokens[0] for fact in facts if fact.last > place]
    return all(token.kind in SHORT or token.value == "sample" for token in behind)


def tag(inside: str) -> str | None:
    """The word in a bracket at the end, if it could be a group."""
    word = inside.strip()
    if " " in word or not word or word.lower() in REPOSTERS or "www" in word.lower():
        return None
    first = FIRST_WORD.search(word.lower())
    if not first or first[0] in INDEX or len(word) == 8 or word[0].isdigit():
        return None
    return word


def last_word(words: Words, facts: list[Fact]) -> str | None:
    if not facts or facts[-1].last != words.count - 1 or words.brackets[-1]:
        return None
    if not facts[-1].strong:
        return None
    word = words.raw[-1]
    return word if len(word) > 2 and not word.isdigit() else None
