"""Splits a name into words with their offsets and brackets."""

# ruff: noqa: RUF001 - letters and brackets of other scripts are meant.

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate

# A plus belongs to `DD+` and `HDR10+`, not to `Tamil+Telugu` or `E01+E02`.
WORD = re.compile(
    r"([^\W_]+(?:['’´`][^\W_]+)*(?:(?<=[^\W\d_])\+(?=[\W\d]|$)|(?<=10)\+(?=[^\w+]|$))?)"
)
# Most names are plain ASCII, and for those this is twice as fast.
PLAIN_WORD = re.compile(r"([0-9A-Za-z]+)")
BRACKET = re.compile(r"[\[\](){}【】（）［］《》「」『』]")
LETTERS = re.compile(r"[^\W\d_]+")
OPEN = frozenset("[({【（［《「『")


class Words:
    __slots__ = (
        "brackets",
        "count",
        "ends",
        "gaps",
        "lower",
        "mixed",
        "raw",
        "spans",
        "starts",
        "stems",
        "text",
    )

    def __init__(self, text: str) -> None:
        plain = text.isascii() and "'" not in text and "+" not in text and "`" not in text
        # A gap, a word, a gap, a word, ..., a gap.
        pieces = (PLAIN_WORD if plain else WORD).split(text)
        offsets = list(accumulate(map(len, pieces)))
        self.text = text
        self.raw = pieces[1::2]
        # The text before each word, and after the last one.
        self.gaps = pieces[::2]
        self.starts = offsets[:-1:2]
        self.ends = offsets[1::2]
        self.count = len(self.raw)
        self.lower = lower = list(map(str.lower, self.raw))
        # The places of the words that contain a digit.
        self.mixed = mixed = [index for index, word in enumerate(lower) if not word.isalpha()]
        # The words, and the letters of those that contain a number: `Episode02`, `E5`.
        self.stems = stems = set(lower)
        stems.update(*[letters_of(lower[index]) for index in mixed])
        # The outermost brackets, and for each word 0 or the number of its bracket.
        bare = plain and "[" not in text and "(" not in text and "{" not in text
        self.spans = [] if bare else outermost_brackets(text)
        self.brackets = brackets = [0] * self.count
        for number, (start, end) in enumerate(self.spans, 1):
            for index in range(self.at(start), self.at(end)):
                brackets[index] = number

    def at(self, offset: int) -> int:
        """Return the first word that starts at or after this offset."""
        return bisect_left(self.starts, offset)


# The same few words occur in every name.
@lru_cache(maxsize=4096)
def letters_of(word: str) -> list[str]:
    return LETTERS.findall(word)


def outermost_brackets(text: str) -> list[tuple[int, int]]:
    spans = []
    depth = opened = 0
    for mark in BRACKET.finditer(text):
        place = mark.start()
        if mark[0] in OPEN:
            # `[[Group]` is opened twice by mistake.
            if depth and place == opened + 1:
                continue
            if not depth:
                opened = place
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                spans.append((opened, place + 1))
    if depth:
        spans.append((opened, len(text)))
    return spans
