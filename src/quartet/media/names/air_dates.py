"""Air dates: `2020.02.16`, `16-02-2020`, `20200216`, `16 Feb 2020`."""

import re
from datetime import date

from quartet.media.names.numbers import EpisodeNumbers
from quartet.media.names.tables.numbering import MONTHS

NUMERIC = re.compile(
    r"(?<!\d)(?:((?:19|20)\d{2})([\s._/-]{1,2})(\d{1,2})\2(\d{1,2})"
    r"|(\d{1,2})([\s._/-]{1,2})(\d{1,2})\6((?:19|20)\d{2})"
    r"|((?:19|20)\d{2})(\d{2})(\d{2}))(?!\d)"
)
# `15.12.22` as a date before the title, in a name without similar numbers.
SHORT = re.compile(r"(?<![\d.][.\d])(?<=[^\W\d_][._])(\d\d)\.(\d\d)\.(\d\d)\.(?=[^\W\d_]{2})")
MONTH = "|".join(MONTHS)
DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
NAMED = re.compile(
    rf"(?<!\d){DAY}[\s._-](?P<month>{MONTH})[\s._-]((?:19|20)\d{{2}})(?!\d)"
    rf"|(?<![^\W_])(?P<first>{MONTH})[\s._-]{DAY}[\s._,-]{{1,2}}((?:19|20)\d{{2}})(?!\d)",
    re.I,
)


def possible(words: list[str], years: list[int]) -> bool:
    """Quick check before the regular expressions: a year next to two numbers or a month."""
    for at in years:
        around = [words[at - 2 : at], words[at + 1 : at + 3]] if at > 1 else [words[1:3]]
        for pair in around:
            if len(pair) == 2 and pair[1].isdigit() and pair[0].isdigit():
                return True
        if not MONTHS.keys().isdisjoint(words[max(0, at - 2) : at]):
            return True
    return any(len(word) == 8 and word.isdigit() for word in words) or is_short(words)


def is_short(words: list[str]) -> bool:
    """Return True for three two-digit numbers in a row."""
    row = 0
    for word in words:
        row = row + 1 if len(word) == 2 and word.isdigit() else 0
        if row == 3:
            return True
    return False


def find(text: str) -> EpisodeNumbers | None:
    end = 0
    while match := NUMERIC.search(text, end):
        # `20.20.2022.05.06` starts with the title.
        end = match.start() + 1
        if match[1]:
            day = make_date(match[1], match[3], match[4])
        elif match[9]:
            day = make_date(match[9], match[10], match[11])
        else:
            day = make_date(match[8], match[7], match[5]) or make_date(match[8], match[5], match[7])
        if day:
            return EpisodeNumbers("date", match.start(), match.end(), (), (), day)
    return spelled(text) or short(text)


def spelled(text: str) -> EpisodeNumbers | None:
    """Read `16 Feb 2020` and `July 30, 2021`."""
    match = NAMED.search(text)
    if not match:
        return None
    month = MONTHS.get((match["month"] or match["first"]).casefold(), 0)
    day = make_date(match[3] or match[6], str(month), match[1] or match[5])
    return EpisodeNumbers("date", match.start(), match.end(), (), (), day) if day else None


def short(text: str) -> EpisodeNumbers | None:
    match = SHORT.search(text)
    day = make_date(f"20{match[1]}", match[2], match[3]) if match else None
    return (
        EpisodeNumbers("date", match.start(), match.end(), (), (), day) if match and day else None
    )


def make_date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
