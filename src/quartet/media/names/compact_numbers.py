"""Season and episode in one number: `Show.204.HDTV`, `Show 204-205`, `Show 0204`, `Show 2.04`.

The same digits may be an absolute number or the end of a title, so every sign for or against it
changes the score.
"""

from msgspec.structs import replace

from quartet.media.names.number_position import SPACED_DASH, NumberPosition, looks_like_year
from quartet.media.names.numbers import EpisodeNumbers, NumberReading

# `Dexter 4.05 Dirty Harry`
DECIMAL = 5.0
# `Some Film 3.33 Again` is more likely a movie; the catalog decides.
DECIMAL_UNSURE = 2.5
# Higher than every bare number.
SURE = 5.95
AFTER_YEAR = 5.4
LEAST = 2.8
# A number between words is slightly more likely an episode than a part of the title.
INSIDE = 0.3
THREE_DIGITS = 3
# How much lower the same digits score as an absolute number.
LESS_LIKELY = 1.5
# More episodes in one season are rare.
MOST_EPISODES = 49
# Few seasons have more: the same digits are more likely an absolute number.
USUAL_EPISODES = 26
# The first season that is written with four digits is the tenth.
MOST_SEASONS = 29


def read(
    position: NumberPosition, starts: list[int], values: dict[int, int]
) -> list[NumberReading]:
    if position.layout.fansub:
        return []
    found: list[NumberReading] = []
    for index in starts:
        if reading := read_at(position, index, values):
            found += compete(position, index, reading)
    return found


def read_decimal(position: NumberPosition, values: dict[int, int]) -> list[NumberReading]:
    words = position.words
    for index in () if position.layout.fansub else values:
        season = index - 1
        if season not in values or season <= position.layout.first or words.gaps[index] != ".":
            continue
        digits, after = words.raw[index], words.gaps[index + 1]
        spaced = words.gaps[season][-1:] == " " and after[:1] in (" ", "")
        if not spaced or len(digits) != 2 or not 0 < values[season] <= MOST_SEASONS:
            continue
        sure = bool(after) and (digits[0] == "0" or bool(SPACED_DASH.search(after)))
        numbers = EpisodeNumbers(
            "compact", words.starts[season], words.ends[index], (values[season],), (values[index],)
        )
        return [NumberReading(numbers, DECIMAL if sure else DECIMAL_UNSURE)]
    return []


def compete(
    position: NumberPosition, index: int, reading: NumberReading
) -> tuple[NumberReading, NumberReading]:
    """Names with spaces count the episodes of long series, scene names rarely do.

    `One Piece 1015 - Title` is the 1015th episode, `smallville.1014.hdtv` in the tenth season.
    """
    counted = as_absolute(reading)
    words = position.words
    long = len(words.raw[index]) == 4 and words.raw[index][0] != "0"
    after = words.lower[index + 1] if index + 1 < words.count else ""
    # `Show (1002) Title`, but not `Show [1002]`; `Show - 0512 - Title` counts all episodes.
    sure = reading.score >= SURE and words.gaps[index][-1:] != "("
    dashed = words.gaps[index] == " - " and len(words.raw[index]) == 4 and position.ends_at(index)
    # `quiet_harbour_824_[720p]` has the brackets of fansub names.
    fansub = words.gaps[index + 1] == "_[" and not sure
    high = is_high(position, index, reading, sure=sure)
    # Scene names have dots.
    scene = " " not in words.text and "_" not in words.text
    if not (fansub or high or dashed) and (not long or scene or after.endswith("tv") or sure):
        return reading, counted
    return replace(reading, score=counted.score), replace(counted, score=reading.score)


def is_high(position: NumberPosition, index: int, reading: NumberReading, *, sure: bool) -> bool:
    """`Show 345` and `Show 345-346`: few seasons have a 45th episode."""
    numbers, words = reading.numbers, position.words
    if numbers is None or max(numbers.episodes) <= USUAL_EPISODES:
        return False
    last = index + len(numbers.episodes)
    after = words.lower[last] if last < words.count else ""
    padded = words.raw[index][0] == "0"
    return not sure or (len(numbers.episodes) > 1 and not padded and not after.endswith("tv"))


def as_absolute(reading: NumberReading) -> NumberReading:
    """The same digits in absolute numbering: less likely, but the catalog may know only that."""
    numbers = reading.numbers
    if numbers is None:
        return reading
    season = numbers.seasons[0]
    episodes = tuple(season * 100 + episode for episode in numbers.episodes)
    counted = replace(numbers, form="bare", seasons=(), episodes=episodes)
    return NumberReading(counted, reading.score - LESS_LIKELY)


def read_at(position: NumberPosition, index: int, values: dict[int, int]) -> NumberReading | None:
    words = position.words
    if index <= position.layout.first or index in listed(position, index - 1, values)[1:]:
        return None
    places = listed(position, index, values)
    if not all(is_compact(words.raw[place]) for place in places):
        return None
    season = values[index] // 100
    episodes = tuple(values[place] % 100 for place in places)
    numbers = EpisodeNumbers(
        "compact", words.starts[index], words.ends[places[-1]], (season,), episodes
    )
    return NumberReading(numbers, score(position, index, places[-1], values))


def is_compact(digits: str) -> bool:
    if len(digits) not in (3, 4) or not digits.isdigit() or looks_like_year(int(digits)):
        return False
    season, episode = divmod(int(digits), 100)
    return 0 < season <= MOST_SEASONS and 0 < episode <= MOST_EPISODES


def listed(position: NumberPosition, index: int, values: dict[int, int]) -> list[int]:
    """Return the places of this number and of those that continue it: `204.205`, `204-205`."""
    places = [index]
    while index in values and values.get(index + 1) == values[index] + 1:
        if position.words.gaps[index + 1].strip(" ") not in ("", ".", "-", "_", ",", "+", "&"):
            break
        index += 1
        places.append(index)
    return places


def is_inside(position: NumberPosition, first: int, last: int) -> bool:
    """`Quiet Harbour 155 The Storm`: few movies have such a number between their words."""
    words = position.words
    spaced = words.gaps[first] == words.gaps[last + 1] == " " and words.raw[last + 1].istitle()
    plain = spaced and position.file and len(words.raw[first]) == THREE_DIGITS
    return plain and first > position.layout.first + 1 and not any(position.known)


def score(position: NumberPosition, first: int, last: int, values: dict[int, int]) -> float:
    words = position.words
    after, later = (*words.lower[last + 1 : last + 3], "", "")[:2]
    sent = later if after.endswith("0p") else after
    if looks_like_year(values.get(first - 1, 0)):
        return AFTER_YEAR
    # The number of a sports event.
    if after == "ppv":
        return 0.0
    if position.has_year:
        return LEAST if after.endswith("tv") else 0.0
    padded = len(words.raw[first]) == 4 and words.raw[first][0] == "0"
    bracketed = words.brackets[first] and words.gaps[first][-1:] in "[("
    if bracketed and any(position.known[position.layout.first : first]):
        # A number in brackets behind the tags is no episode.
        return 0.0
    if last > first or padded or bracketed or sent.endswith("tv"):
        return SURE
    points = LEAST
    # Scene names have dots, and the number is at their end or before the tags.
    closes = not after or position.known[last + 1]
    points += 1.0 if closes and " " not in words.text else 0.0
    points += 0.5 if after and position.ends_at(last) else 0.0
    # `Quiet_Harbour_105_The_Storm.avi`
    separate = words.gaps[first] == words.gaps[last + 1] and words.gaps[first] in ("_", ".")
    points += 0.3 if separate and position.file else 0.0
    points += 0.5 if SPACED_DASH.search(words.gaps[first]) else 0.0
    points += INSIDE if is_inside(position, first, last) else 0.0
    # `The Quiet Harbour 123.avi`: few movies end with such a number.
    points += INSIDE if not after and position.file and first > position.layout.first + 1 else 0.0
    points += 1.0 if after in ("x264", "h264", "xvid", "web") else 0.0
    return points
