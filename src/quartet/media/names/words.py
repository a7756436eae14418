"""Splits a name into words with their offsets and brackets."""

# ruff: noqa: RUF001 - letters and brackets of other scripts are meant.

import re
from bisect import bisect_left
from functools import lru_cache

# A plus belongs to `DD+` and `HDR10+`, not to `Tamil+Telugu` or `E01+E02`.
WORD = re.compile(
    r"[^\W_]+(?:['’´`][^\W_]+)*(?:(?<=[^\W\d_])\+(?=[\W\d]|$)|(?<=10)\+(?=[^\w+]|$))?"
)
# Most names are plain ASCII, and for those this is twice as fast.
PLAIN_WORD = re.compile(r"[0-9A-Za-z]+")
BRACKET = re.compile(r"[\[\](){}【】（）［］《》「」『』]")
LETTERS = re.compile(r"[^\W\d_]+")
OPEN = frozenset("[({【（［《「『")


class Words:
    __slots__ = (
        "brackets",
        "count",
        "ends",
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
        pieces = list((PLAIN_WORD if plain else WORD).finditer(text))
        self.text = text
        self.raw = [piece[0] for piece in pieces]
        self.lower = [word.lower() for word in self.raw]
        self.starts = [piece.start() for piece in pieces]
        self.ends = [piece.end() for piece in pieces]
        self.count = len(pieces)
        # The places of the words that contain a digit.
        self.mixed = [index for index, word in enumerate(self.lower) if not word.isalpha()]
        # The words, and the letters of those that contain a number: `Episode02`, `E5`.
        self.stems = set(self.lower)
        for index in self.mixed:
            if not self.lower[index].isdigit():
                self.stems.update(letters_of(self.lower[index]))
        # The outermost brackets, and for each word 0 or the number of its bracket.
        bare = plain and "[" not in text and "(" not in text and "{" not in text
        self.spans = [] if bare else outermost_brackets(text)
        self.brackets = [0] * self.count
        for number, (start, end) in enumerate(self.spans, 1):
            for index in range(self.at(start), self.at(end)):
                self.brackets[index] = number

    def at(self, offset: int) -> int:
        """Return the first word that starts at or after this offset."""
        return bisect_left(self.starts, offset)

    def gap(self, index: int) -> str:
        """Return the text between the previous word and this one."""
        before = self.ends[index - 1] if index else 0
        return self.text[before : self.starts[index]]

    def gap_after(self, index: int) -> str:
        after = self.starts[index + 1] if index + 1 < self.count else len(self.text)
        return self.text[self.ends[index] : after]


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
