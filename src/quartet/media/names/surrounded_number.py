"""Bare numbers that only their surroundings make an episode: `Title 74 [720p]`, `Title.14.HDTV`."""

from msgspec.structs import replace

from quartet.media.names import compact_numbers
from quartet.media.names.number_position import SPACED_DASH, NumberPosition, build_numbers
from quartet.media.names.numbers import EpisodeNumbers
from quartet.media.names.tables import word_set
from quartet.media.names.tables.numbering import PARTS
from quartet.media.names.years import YEAR

# Few movies have more parts.
HIGHEST_SEQUEL = 19
HIGHEST_TITLE = 200
HIGHEST_YEAR = 2199
# Some series call their episodes so.
UNITS = word_set("act del layer session stage mission lap phase")
NUMBER_WORDS = word_set("nr no session layer")
NO_EPISODE = PARTS | word_set("movie movies film vol volume no cd dvd disc the chapter")


def between_words(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    """`Quiet Harbour 155 The Storm`; lower numbers may be a season and an episode."""
    if value % 100 <= compact_numbers.USUAL_EPISODES or index + 1 >= position.words.count:
        return None
    if not compact_numbers.is_inside(position, index, index):
        return None
    return build_numbers(position, "bare", index, values)


def after_unit(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    """`Quiet Harbour - Act 14`, `Quiet Harbour Session 05` and `Quiet Harbour Nr. 05`."""
    words = position.words
    unit = index - 1
    if unit <= position.layout.first or not position.ends_at(index) or words.brackets[index]:
        return None
    dashed = words.lower[unit] in UNITS and SPACED_DASH.search(words.gaps[unit])
    padded = words.lower[unit] in NUMBER_WORDS and words.raw[index].startswith("0")
    if not (dashed or padded):
        return None
    return replace(build_numbers(position, "bare", index, values), start=words.starts[unit])


def after_year(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    """`Quiet Harbour (1997) 25.mkv`: no movie ends with a number after its year.

    The title of the episode may follow: `Quiet Harbour (1997) 25 - The Storm.mkv`.
    """
    words = position.words
    bracketed = index > position.layout.first + 1 and words.gaps[index] in (") ", ")_", ").")
    ends = index + 1 == words.count or SPACED_DASH.search(words.gaps[index + 1])
    if not (bracketed and YEAR.match(words.lower[index - 1]) and ends):
        return None
    return build_numbers(position, "bare", index, values) if len(words.raw[index]) > 1 else None


def broadcast(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    """`Show.14.HDTV` and `Show 445 VOSTFR`: movies have a year and are rarely recorded from TV.

    Interlaced video comes from TV too: `Show 14 1080i`.
    """
    words = position.words
    after, later = (*words.lower[index + 1 : index + 3], "", "")[:2]
    if after == "ppv":
        return None
    # Also `Show.14.1080p.HDTV`.
    sent = later if after.endswith("0p") else after
    if (
        index <= position.layout.first
        or position.has_year
        or not sent.endswith(("tv", "vostfr", "0i"))
    ):
        return None
    return build_numbers(position, "bare", index, values) if len(words.raw[index]) > 1 else None


def before_size(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    """`Quiet.Harbour.12.720p`: a movie would have a year or a source."""
    words = position.words
    if position.has_year or index < position.layout.first + 2 or index + 2 != words.count:
        return None
    if " " in words.text or len(words.raw[index]) != 2 or not position.known[index + 1]:
        return None
    return (
        build_numbers(position, "bare", index, values)
        if words.lower[index + 1].endswith("0p")
        else None
    )


def before_tags(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    """`Quiet Harbour 74 [720p]`: too high for a sequel, and a movie would have a year."""
    words = position.words
    if index <= position.layout.first or position.has_year or words.brackets[index]:
        return None
    # Such round numbers are often part of a title.
    if not position.ends_at(index) or (value % 100 == 0 and value < HIGHEST_YEAR):
        return None
    event = words.lower[index + 1 : index + 2] == ["ppv"]
    if event or words.lower[index - 1] in NO_EPISODE or len(words.raw[index]) < 2:
        return None
    revised = not words.raw[index].isdigit()
    asian = words.raw[index - 1][-1] > "\u2e80"
    tagged = index + 1 < words.count
    high = value > (HIGHEST_SEQUEL if tagged else HIGHEST_TITLE)
    # `Quiet Harbour 26` and `Quiet Harbour 167`: neither a sequel nor the 67th episode of a season.
    single = value < 100 or value % 100 > compact_numbers.USUAL_EPISODES
    high = high or (value > HIGHEST_SEQUEL and single)
    # A folder without a year is a movie, unless its tags are in brackets, as those of fansubs.
    bracketed = tagged and words.gaps[index + 1].strip() in ("[", "(")
    high = high and (position.file or (bracketed and single))
    # `Quiet.Harbour.8903.1080p`: titles that end with such a number are very rare.
    high = high or (tagged and value > HIGHEST_YEAR)
    if not (asian or (tagged and revised) or high):
        return None
    return build_numbers(position, "bare", index, values)
