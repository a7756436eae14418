"""Air dates: `2020.02.16`, `16-02-2020`, `20200216`, `16 Feb 2020`, `16-02-20`, `200216`."""

import re
from datetime import date

from quartet.media.names.numbers import EpisodeNumbers, Form
from quartet.media.names.tables.numbering import MONTHS
from quartet.media.names.words import Words

NUMERIC = re.compile(
    r"(?<!\d)(?:((?:19|20)\d{2})([\s._/-]{1,2})(\d{1,2})\2(\d{1,2})"
    r"|(\d{1,2})([\s._/-]{1,2})(\d{1,2})\6((?:19|20)\d{2})"
    r"|((?:19|20)\d{2})(\d{2})(\d{2}))(?!\d)"
)
# `2020年2月16日` and `2020년 2월 16일`.
ASIAN = re.compile(r"((?:19|20)\d\d)[年년]\s?(\d{1,2})[月월]\s?(\d{1,2})[日일]")
# Three two-digit numbers, which the time of a recording may follow (`17.02.05_19-30_zdf`). Names
# without other numbers may also have the date as `200216`.
SHORT = re.compile(
    r"(?<![\d.][.\d])(?<=[^\W\d_])(?P<space>[\s._-]{1,3})(\d\d)(?P<sign>[.-])(\d\d)(?P=sign)(\d\d)"
    r"(?=(?P<more>[.\s_-]+(?:\d\d-\d\d_)?[^\W\d_]{2})|$|\s?[\[(])"
)
SIX_DIGITS = re.compile(r"(?<![^\W_])(\d\d)(\d\d)(\d\d)(?![^\W_])")
MONTH = "|".join(MONTHS)
DAY = r"(\d{1,2})(?:st|nd|rd|th|(?=\.\s)\.)?"
NAMED = re.compile(
    rf"(?<!\d){DAY}[\s._-](?:de[\s._])?(?P<month>{MONTH})[\s._-](?:de[\s._])?((?:19|20)\d{{2}})(?!\d)"
    rf"|(?<![^\W_])(?P<first>{MONTH})[\s._-]{DAY}[\s._,-]{{1,2}}((?:19|20)\d{{2}})(?!\d)",
    re.I,
)


def possible(words: Words, years: list[int]) -> bool:
    """Quick check before the regular expressions: a year next to two numbers or a month."""
    lower = words.lower
    for at in years:
        if are_numbers(lower, at + 1 if at > 1 else 1) or (at > 1 and are_numbers(lower, at - 2)):
            return True
        if at and (lower[at - 1] in MONTHS or (at > 1 and lower[at - 2] in MONTHS)):
            return True
    row, last = 0, -1
    for index in words.mixed:
        word = lower[index]
        if word.isdigit():
            if len(word) in (6, 8):
                return True
            if len(word) == 2:
                row = row + 1 if last == index - 1 else 1
                last = index
                if row == 3:
                    return True
        # `20200216期` and `2020年2月16日`
        elif word[-1] > "\u2e80" and len(word) > 4 and word[:4].isdigit():
            return True
    return False


def are_numbers(words: list[str], first: int) -> bool:
    """Return True if this word and the next are numbers."""
    return first + 1 < len(words) and words[first].isdigit() and words[first + 1].isdigit()


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
    return spelled(text) or asian(text) or short(text) or six_digits(text)


def spelled(text: str) -> EpisodeNumbers | None:
    """Read `16 Feb 2020` and `July 30, 2021`."""
    match = NAMED.search(text)
    if not match:
        return None
    month = MONTHS.get((match["month"] or match["first"]).casefold(), 0)
    day = make_date(match[3] or match[6], str(month), match[1] or match[5])
    return EpisodeNumbers("date", match.start(), match.end(), (), (), day) if day else None


def asian(text: str) -> EpisodeNumbers | None:
    match = None if text.isascii() else ASIAN.search(text)
    day = make_date(match[1], match[2], match[3]) if match else None
    return (
        EpisodeNumbers("date", match.start(), match.end(), (), (), day) if match and day else None
    )


def short(text: str) -> EpisodeNumbers | None:
    """`Show.15.12.22.Guest` has the year first, `Show 22.12.15` usually the day."""
    match = SHORT.search(text)
    if not match:
        return None
    one, two, three = match[2], match[4], match[5]
    by_year = make_date(f"20{one}", two, three)
    by_day = make_date(f"20{three}", two, one)
    # The year is first in dotted names that continue with the guest.
    dotted = match["space"] in "._" and match["sign"] == "." and match["more"]
    day = by_year if dotted else by_day or by_year
    if not day or (match["more"] and not dotted and by_year and by_day):
        return None
    form: Form = "date" if dotted else "pair"
    return EpisodeNumbers(form, match.start(2), match.end(5), (), (), day)


def six_digits(text: str) -> EpisodeNumbers | None:
    """Read `200216`, as Korean names have it; no episode has six digits."""
    match = SIX_DIGITS.search(text)
    day = make_date(f"20{match[1]}", match[2], match[3]) if match else None
    return (
        EpisodeNumbers("bare", match.start(), match.end(), (), (), day) if match and day else None
    )


def make_date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
