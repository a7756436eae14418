"""The release group: behind the last dash, in the leading bracket, or at the very end."""

import re

from quartet.media.names.facts import HEX, Fact, by_rule
from quartet.media.names.layout import Layout
from quartet.media.names.tables.groups import DOMAINS, NO_GROUPS, REPOSTERS, SUFFIXES
from quartet.media.names.vocabulary import INDEX
from quartet.media.names.words import Words

# At most so much of the end of a name is looked at.
TAIL = 120
CLOSING = frozenset("])}")
SUFFIX = re.compile(rf"(?:[-.](?:{'|'.join(SUFFIXES)}))+$", re.I)
TRAILING = re.compile(r"[\[({]([^\[\](){}]{1,40})[\])}][\s.]*$")
DASHED = re.compile(r"[\s.]?([^\W_][\w@&!.]{0,39})$")
# `x264-re-encoded.GROUP`
ENCODED_AGAIN = re.compile(r"(?<=-)re-?enc(?:oded)?[\s._-]", re.I)
SIGNERS = frozenset(("by", "par"))
SIGNED = re.compile(rf"(?<![^\W_])(?:{'|'.join(SIGNERS)})[\s._]([^\W_][\w-]*(?:\s[\w-]+)?)$", re.I)
NUMBERED = re.compile(r"s\d{1,2}e\d", re.I)
# Kinds that are a few letters in capitals, as the names of groups are.
SHORT = frozenset(("code", "service", "noise"))
# Kinds that some add behind the group.
ADDED = frozenset(("language", "code", "flag", "noise"))
FIRST_WORD = re.compile(r"[^\W_]+")


def find(words: Words, layout: Layout, facts: list[Fact]) -> str | None:
    if layout.group_first:
        return words.raw[0]
    text = words.text.rstrip(" ._")
    tail = None
    if words.count and words.lower[-1] in SUFFIXES:
        text = SUFFIX.sub("", text)
    if text[-1:] in CLOSING:
        text, tail = without_tags(text)
    if facts and len(text) < words.ends[-1]:
        end = words.at(len(text))
        facts = [fact for fact in facts if fact.first < end]
    if facts and (found := signed(words, text, facts) or dashed(words, text, facts)):
        return found
    if layout.tagged and layout.fansub:
        start, end = words.spans[0]
        if not is_reposter(group := words.text[start:end].strip(" []()【】_")):
            return group
    return tail or last_word(words, facts, len(text))


def without_tags(text: str) -> tuple[str, str | None]:
    """The name up to the brackets at its end, and the group that stands in one of them."""
    tail = None
    while text[-1:] in CLOSING and (match := TRAILING.search(text, max(0, len(text) - TAIL))):
        if not match.start():
            break
        tail = tail or tag(match[1], dashed=text[: match.start()].endswith("-"))
        text = text[: match.start()].rstrip(" ._-")
    return text, tail


def tag(inside: str, *, dashed: bool) -> str | None:
    """The word in a bracket at the end, or behind the facts in it, if it could be a group."""
    word = inside.strip()
    if by := SIGNED.search(word):
        return by[1]
    if " " in word:
        *_, before, last = word.split()
        return last if last.isalpha() and is_fact(before) and not is_fact(last) else None
    if not word or is_reposter(word):
        return None
    first = FIRST_WORD.search(word.lower())
    if not first or first[0] in INDEX or HEX.match(word):
        return None
    return word if dashed or not word[0].isdigit() else None


def is_fact(word: str) -> bool:
    lower = word.lower()
    return lower in INDEX or lower[0].isdigit() or by_rule(lower) is not None


def is_reposter(word: str) -> bool:
    lower = word.lower()
    return lower in REPOSTERS or "www" in lower or lower.rpartition(".")[2] in DOMAINS


def signed(words: Words, text: str, facts: list[Fact]) -> str | None:
    """`WEBRip by Somebody`"""
    if SIGNERS.isdisjoint(words.lower):
        return None
    match = SIGNED.search(text, words.starts[facts[0].first])
    if not match or facts[-1].last > words.at(match.start()):
        return None
    return match[1]


def dashed(words: Words, text: str, facts: list[Fact]) -> str | None:
    text = text.rstrip(" ._-])")
    if found := behind_dash(words, text, facts):
        return found
    # `XviD-GROUP.Eng.Subs`
    last = words.at(len(text))
    kept = len(facts)
    while kept and facts[kept - 1].last == last and facts[kept - 1].tokens[0].kind in ADDED:
        kept -= 1
        last = facts[kept].first
    if not 0 < kept < len(facts):
        return None
    return behind_dash(words, text[: words.ends[last - 1]], facts[:kept])


def behind_dash(words: Words, text: str, facts: list[Fact]) -> str | None:
    text = ENCODED_AGAIN.sub("", text) if "enc" in text else text
    dash = text.rfind("-")
    match = DASHED.match(text, dash + 1)
    if not match or dash <= words.starts[facts[0].first]:
        return None
    place = words.at(dash)
    if not believed(match[1], place, facts):
        return None
    first = place - 1
    if words.ends[first] == dash and is_first_half(words, first, facts):
        return text[words.starts[first] :]
    return match[1]


def is_first_half(words: Words, index: int, facts: list[Fact]) -> bool:
    """`x264-SOME-GROUP` and `x264.D-GROUP`; two letters there are a profile of the codec."""
    letters = len(words.raw[index])
    if letters != 1 and (letters < 3 or words.gap(index) != "-"):
        return False
    unknown = all(fact.first != index for fact in facts)
    return unknown and any(fact.last == index for fact in facts)


def believed(group: str, place: int, facts: list[Fact]) -> bool:
    """Not when it is one of the facts, or more of them follow: `WEB-DL.H.265`."""
    lower = group.lower()
    if lower in NO_GROUPS or lower.isdigit() or NUMBERED.match(lower) or is_reposter(lower):
        return False
    for fact in reversed(facts):
        if fact.last <= place:
            break
        token = fact.tokens[0]
        if token.value != "sample" and (token.kind not in SHORT or fact.first != place):
            return False
    return True


def last_word(words: Words, facts: list[Fact], end: int) -> str | None:
    """`1080p.x265.GROUP`, also as the last word of a bracket with facts."""
    last = words.at(end) - 1
    if not facts or facts[-1].last != last or not any(fact.strong for fact in facts):
        return None
    if words.brackets[last] and words.brackets[last] != words.brackets[last - 1]:
        return None
    word = words.raw[last]
    known = word.isdigit() or word.lower() in NO_GROUPS
    return word if not known and (len(word) > 2 or word.isupper()) else None
