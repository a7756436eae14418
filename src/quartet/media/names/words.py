"""Splits a name into words with their offsets and brackets."""

# ruff: noqa: RUF001 - letters and brackets of other scripts are meant.

import re
from bisect import bisect_left
from functools import partial
from itertools import accumulate

from quartet.media.names import stems

# A plus belongs to `DD+` and `HDR10+`, not to `Tamil+Telugu` or `E01+E02`.
WORD = re.compile(
    r"([^\W_]+(?:['’´`][^\W_]+)*(?:(?<=[^\W\d_])\+(?=[\W\d]|$)|(?<=10)\+(?=[^\w+]|$))?)"
)
# Most names are plain ASCII, and for those this is twice as fast.
PLAIN_WORD = re.compile(r"([0-9A-Za-z]+)")
BRACKET = re.compile(r"[\[\](){}【】（）［］《》「」『』]")
OPEN = frozenset("[({【（［《「『")


class Words:
    __slots__ = (
        "at",
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
        ascii_only = text.isascii()
        plain = ascii_only and "'" not in text and "+" not in text and "`" not in text
        # A gap, a word, a gap, a word, ..., a gap.
        pieces = (PLAIN_WORD if plain else WORD).split(text)
        offsets = list(accumulate(map(len, pieces)))
        self.text = text
        self.raw = pieces[1::2]
        # The text before each word, and after the last one.
        self.gaps = pieces[::2]
        self.starts = starts = offsets[:-1:2]
        self.ends = offsets[1::2]
        self.count = len(self.raw)
        self.lower = lower = list(map(str.lower, self.raw))
        # Returns the first word that starts at or after an offset.
        self.at = partial(bisect_left, starts)
        # The places of the words that contain a digit.
        self.mixed = [index for index, letters in enumerate(map(str.isalpha, lower)) if not letters]
        self.stems = stems.find(lower, self.mixed)
        # The outermost brackets, and for each word 0 or the number of its bracket.
        bare = ascii_only and "[" not in text and "(" not in text and "{" not in text
        self.spans = [] if bare else outermost_brackets(text)
        self.brackets = brackets = [0] * self.count
        for number, (start, end) in enumerate(self.spans, 1):
            for index in range(self.at(start), self.at(end)):
                brackets[index] = number


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
