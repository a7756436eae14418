"""Days a programme was aired: `2020.02.16`, `16-02-2020`, `20200216`, `16 Feb 2020`."""

import re
from datetime import date

from quartet.media.names.numbers import Numbers
from quartet.media.names.tables.numbering import MONTHS

NUMERIC = re.compile(
    r"(?<!\d)(?:((?:19|20)\d{2})([\s._/-]{1,2})(\d{1,2})\2(\d{1,2})"
    r"|(\d{1,2})([\s._/-]{1,2})(\d{1,2})\6((?:19|20)\d{2})"
    r"|((?:19|20)\d{2})(\d{2})(\d{2}))(?!\d)"
)
NAMED = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?[\s._-]({'|'.join(MONTHS)})[\s._-]((?:19|20)\d{{2}})(?!\d)",
    re.I,
)


def possible(words: list[str], years: list[int]) -> bool:
    """A year with two numbers or a month beside it; asked first because it is quick."""
    for at in years:
        around = [words[at - 2 : at], words[at + 1 : at + 3]] if at > 1 else [words[1:3]]
        for pair in around:
            if len(pair) == 2 and pair[1].isdigit() and pair[0].isdigit():
                return True
        if at and words[at - 1] in MONTHS:
            return True
    return any(len(word) == 8 and word.isdigit() for word in words)


def find(text: str) -> Numbers | None:
    for match in NUMERIC.finditer(text):
        if match[1]:
            day = made(match[1], match[3], match[4])
        elif match[9]:
            day = made(match[9], match[10], match[11])
        else:
            day = made(match[8], match[7], match[5]) or made(match[8], match[5], match[7])
        if day:
            return Numbers("date", match.start(), match.end(), (), (), day)
    named = NAMED.search(text)
    day = made(named[3], str(MONTHS.get(named[2].casefold(), 0)), named[1]) if named else None
    return Numbers("date", named.start(), named.end(), (), (), day) if named and day else None


def made(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
