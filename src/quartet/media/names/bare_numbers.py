"""Episodes that are a bare number: `Title - 09`, `[04]`, `3of6`, `03_19`."""

# ruff: noqa: RUF001 - letters and brackets of other scripts are meant.

from msgspec.structs import replace

from quartet.media.names import air_dates, compact_numbers, counted_numbers
from quartet.media.names.leading_number import (
    at_start,
    before_dot,
    chapter,
    leading_with_dash,
)
from quartet.media.names.number_position import (
    NUMBER,
    SPACED_DASH,
    NumberPosition,
    build_numbers,
    looks_like_year,
)
from quartet.media.names.numbers import EpisodeNumbers, NumberReading
from quartet.media.names.surrounded_number import (
    NO_EPISODE,
    after_unit,
    after_year,
    before_size,
    before_tags,
    between_words,
    broadcast,
)
from quartet.media.names.words import Words
from quartet.media.names.years import WORDS as YEARS

HALVES_OF_DAY = frozenset(("m", "am", "pm"))
# The score of `3of6` and of specials.
COUNTED = 7.0


def read(position: NumberPosition) -> list[NumberReading]:
    """Return all readings; earlier rules are stronger, see `RULES`."""
    lower, mixed = position.words.lower, position.words.mixed
    if not HALVES_OF_DAY.isdisjoint(lower):
        mixed = without_times(lower, mixed)
    # `11.22.63` is a date or a title, not an episode.
    first = 3 if mixed[:3] == [0, 1, 2] and air_dates.is_short(lower[:3]) else 0
    mixed = [i for i in mixed if i >= first and not position.known[i]]
    # Nothing, or the year of a movie.
    if not mixed or (len(mixed) == 1 and lower[mixed[0]] in YEARS and not position.layout.fansub):
        return []
    if found := counted_numbers.read(position, mixed):
        return [NumberReading(found, COUNTED)]
    values = {index: int(match[1]) for index in mixed if (match := NUMBER.match(lower[index]))}
    fansub = position.layout.fansub
    starts = [
        index
        for index, value in values.items()
        if (fansub or not looks_like_year(value)) and not is_decimal(position.words, index)
    ]
    readings = compact_numbers.read_decimal(position, values)
    if not starts:
        return readings
    readings += compact_numbers.read(position, starts, values)
    for rule, score in RULES:
        for index in starts:
            if found := rule(position, index, values[index], values):
                readings.append(NumberReading(found, score))
                break
    return readings


def without_times(lower: list[str], mixed: list[int]) -> list[int]:
    """`01 - 12.00 A.M. - 1.00 A.M.`: only the first number is an episode."""
    minutes = {
        index for index in mixed if "".join(lower[index + 1 : index + 3])[:2] in ("am", "pm")
    }
    return [index for index in mixed if index not in minutes and index + 1 not in minutes]


def read_after(
    position: NumberPosition, first: int, last: int | None = None
) -> EpisodeNumbers | None:
    """Return the episode between these words, if a dash or a bracket makes it clear."""
    lower = position.words.lower
    values = {
        index: int(match[1])
        for index in range(first, len(lower) if last is None else last)
        if not position.known[index] and (match := NUMBER.match(lower[index]))
    }
    for rule in (after_dash, in_bracket):
        for index, value in values.items():
            if not looks_like_year(value) and (found := rule(position, index, value, values)):
                return found
    return None


def is_decimal(words: Words, index: int) -> bool:
    """The `33` in `Evangelion 3.33 You Can`, and the `100` in `100%`."""
    if words.gaps[index + 1].startswith("%"):
        return True
    before = words.raw[index - 1] if index else ""
    if words.gaps[index] != "." or not before.isdecimal() or looks_like_year(int(before)):
        return False
    return " " in words.text or "_" in words.text


def after_dash(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    words, layout = position.words, position.layout
    if index <= layout.first or not SPACED_DASH.search(words.gaps[index]):
        return None
    # The end of a range in a bracket does not start an episode.
    ranged = words.brackets[index] and index - 1 in values
    if not position.file and not ranged and is_long_range(position, index, values):
        return build_numbers(position, "absolute", index - 1, values)
    if ranged or (words.lower[index - 1] in NO_EPISODE and not words.brackets[index - 1]):
        return None
    if not position.ends_at(index) and not words.lower[index].startswith("0"):
        following = values.get(index + 1)
        decimal = words.gaps[index + 1] == "." and following is not None
        if not decimal and not (following and words.gaps[index + 1].strip() in ",-+&~"):
            return None
    return build_numbers(position, "absolute", index, values)


def is_long_range(position: NumberPosition, index: int, values: dict[int, int]) -> bool:
    """A folder `Quiet Harbour 101 - 110` has a range; `Area 88 - 03` has a title with a number."""
    before, raw = index - 1, position.words.raw
    if before <= position.layout.first or values.get(before, values[index]) >= values[index]:
        return False
    return len(raw[before]) == len(raw[index]) > 2 and position.ends_at(index)


def pair(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    """Season and episode next to each other: `03_19`, `[5.01]`, `4-13 Cursed`.

    `13-16` in a folder name is a range of episodes.
    """
    words = position.words
    following = values.get(index + 1)
    if following is None or not 0 < value < 60 or len(words.raw[index + 1]) < 2:
        return None
    before = index - 1 in values and words.brackets[index - 1] == words.brackets[index]
    if (before and not looks_like_year(values[index - 1])) or (
        position.has_year and words.gaps[index + 1] != "_"
    ):
        return None
    if words.gaps[index + 1] not in ("-", "_", ".") or len(words.raw[index + 1]) > 3:
        return None
    # `003-005` is a range.
    if len(words.raw[index]) == len(words.raw[index + 1]) == 3:
        return None
    alone = words.brackets[index] and position.ends_at(index + 1) and words.gaps[index][-1:] in "[("
    ends = index + 2 >= words.count or (index + 3 >= words.count and len(words.raw[index + 2]) == 1)
    opens = index == 0 and not position.ends_at(index + 1)
    dashes = index > 0 and bool(SPACED_DASH.search(words.gaps[index]))
    ranged = not position.file and not opens and 9 < value < following
    if words.gaps[index + 1] == "-" and (alone or dashes or ranged or position.layout.fansub):
        return None
    plain = not position.layout.fansub and (opens or (ends and len(words.raw[index]) == 2))
    if not (alone or plain or (dashes and position.ends_at(index + 1))):
        return None
    start, end = words.starts[index], words.ends[index + 1]
    return EpisodeNumbers("pair", start, end, (value,), (following,))


def in_bracket(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    words = position.words
    at = words.brackets[index]
    if not at or index <= position.layout.first or looks_like_year(value):
        return None
    opens = words.gaps[index][-1:] in "[(【（" or words.gaps[index].endswith("[.")
    # `[TV 04]`
    if not opens and not (words.lower[index - 1] == "tv" and words.gaps[index - 1][-1:] == "["):
        return None
    # Japanese quotes contain the title of the episode.
    if words.text[words.spans[at - 1][0]] in "「『":
        return None
    rest = index + 1
    while rest < words.count and words.brackets[rest] == at:
        if not position.known[rest] and rest not in values:
            return None
        rest += 1
    if not position.layout.fansub and any(position.known[position.layout.first : index]):
        return None
    # `Title 10 (1)` is a second download of the same file, not an episode.
    copy = len(words.raw[index]) == 1 and index + 1 not in values
    copy = copy and words.text[words.spans[at - 1][0]] == "(" and words.raw[index - 1].isascii()
    if copy and not position.layout.fansub:
        return None
    return build_numbers(position, "absolute", index, values)


def at_end(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    words, layout = position.words, position.layout
    if index <= layout.first or words.brackets[index] or looks_like_year(value):
        return None
    following = values.get(index + 1)
    last = index + 1 if following and following > value else index
    if not position.ends_at(last) or words.lower[index - 1] in NO_EPISODE:
        return None
    # `Quiet Harbour 02 17`: the first number belongs to the title.
    if last > index and following != value + 1 and words.gaps[last] in (" ", "_"):
        return None
    padded = words.raw[index].startswith("0") and len(words.raw[index]) > 1
    ranged = last > index and words.gaps[index + 1] == "-" and value > 9
    if not (padded or ranged or layout.fansub or is_second(position, index, values)):
        return None
    if following and looks_like_year(following):
        return None
    # `Title 2 - Pilot` is a sequel, not the second episode.
    if value < 10 and not padded and last == index and SPACED_DASH.search(words.gaps[index + 1]):
        return None
    return build_numbers(position, "absolute" if layout.fansub else "bare", index, values)


def is_second(position: NumberPosition, index: int, values: dict[int, int]) -> bool:
    """The `17` in `Quiet Harbour 02 17 [DVD]`."""
    words = position.words
    both = len(words.raw[index]) == len(words.raw[index - 1]) == 2
    return both and index - 1 in values and words.gaps[index] in (" ", "_")


def in_middle(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    words, layout = position.words, position.layout
    digits = len(words.raw[index])
    if index <= layout.first or words.brackets[index] or digits < 2 or looks_like_year(value):
        return None
    padded = words.raw[index].startswith("0")
    if not (padded or layout.fansub) or words.lower[index - 1] in NO_EPISODE:
        return None
    return build_numbers(position, "bare", index, values)


def number_sign(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    words = position.words
    if index and words.gaps[index].endswith("#"):
        return build_numbers(position, "absolute", index, values)
    # `Quiet Harbour n°45`
    if index > 1 and words.gaps[index][:1] in ("°", "º") and words.lower[index - 1] in ("n", "nº"):
        found = build_numbers(position, "absolute", index, values)
        return replace(found, start=words.starts[index - 1])
    return None


# With scores: a name may be read in several ways, and the best one wins.
RULES = (
    (chapter, 6.0),
    (pair, 5.9),
    (leading_with_dash, 5.8),
    (after_dash, 5.7),
    (after_unit, 5.65),
    (number_sign, 5.6),
    (in_bracket, 5.5),
    (broadcast, 5.3),
    (before_size, 5.2),
    (at_end, 5.1),
    (at_start, 5.0),
    (in_middle, 4.9),
    (after_year, 3.5),
    (before_tags, 3.2),
    (between_words, 3.1),
    (before_dot, 3.5),
)
