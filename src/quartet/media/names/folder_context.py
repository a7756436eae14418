"""Adds what parent folders say: season, title, year and the tags of a release folder."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import astuple, replace

from quartet.media.names import confidence
from quartet.media.names.single_name import Reading, read_name, without_extension
from quartet.media.names.tables.folders import NO_TITLES, SERIES_SHELVES, SHELVES, SPECIALS
from quartet.media.names.types import Guess, Ids, OtherReading, Parsed, Release

# Words this long rarely match by chance.
LONG_WORD = 5
# Folders further up are collections and mount points.
MAX_FOLDERS = 4
# What may precede the folder's title in a file name: a person's name or numbers.
HEAD = re.compile(r"^(?:.* - |[\d\W_]+)")
NO_WORD = re.compile(r"[\W_]+")
NO_RELEASE = Release()
NO_IDS = Ids()
# `a3f9c0de11b2` or `XD607ebb-BRc59935`: a deliberately obfuscated name.
SCRAMBLED = re.compile(r"(?=[^\W_]*\d)(?=[^\W\d_]*[^\W_]*[^\W\d_])[\w-]{12,}$")

read_folder = lru_cache(maxsize=4096)(read_name)


def parse_in_folders(name: str, folders: Sequence[str]) -> Parsed:
    """Use the nearest folder first. Values from the file itself are kept."""
    own = reading = without_repeated_number(read_name(name))
    nearest = innermost = None
    for folder in reversed(folders[-MAX_FOLDERS:]):
        word = folder.strip().lower()
        if word in SPECIALS:
            reading = in_specials(reading)
        elif word in ("sample", "samples"):
            reading = replace(reading, parsed=replace(reading.parsed, sample=True))
        elif word in SERIES_SHELVES and nearest and not own.parsed.year:
            reading = in_series(reading, nearest)
        elif word and word not in SHELVES:
            nearest = number_title(word) if is_number_title(word, reading) else read_folder(folder)
            if innermost is None and is_movie_of(nearest, folder, name, own):
                own = reading = as_movie(nearest, own)
            reading = join_with_folder(reading, nearest)
            innermost = innermost or nearest
    parsed = reading.parsed
    if innermost and parsed.kind.value != "episode" and not parsed.year:
        parsed = with_series_of_folder(parsed, innermost.parsed.title)
    if parsed.title is None and parsed.kind.confidence > confidence.UNDECIDED:
        return replace(parsed, kind=Guess(parsed.kind.value, confidence.UNDECIDED))
    return parsed


def without_repeated_number(reading: Reading) -> Reading:
    """`Some Show/Season 3/03. Episode 3.mkv`: the number is no title."""
    parsed = reading.parsed
    repeated = (parsed.title or "").isdecimal() and int(parsed.title or 0) in parsed.episodes
    if reading.form != "worded" or not repeated:
        return reading
    return replace(reading, parsed=replace(parsed, title=None))


def with_series_of_folder(parsed: Parsed, series: str | None) -> Parsed:
    """`Firefly/Out of Gas.mkv` may be an episode."""
    if not series or parsed.title is None or same_title(series, parsed.title):
        return parsed
    return replace(parsed, other_readings=(*parsed.other_readings, OtherReading("episode", series)))


def is_movie_of(above: Reading, folder: str, name: str, own: Reading) -> bool:
    """`1408 (2007)/1408.mkv`: the number is the title, not an episode."""
    movie = above.parsed
    if movie.kind.value != "movie" or not movie.year or not own.parsed.episodes:
        return False
    stem = without_extension(name)[0]
    return same_title(stem, movie.title or "") or same_title(f"{stem} {movie.year}", folder)


def as_movie(above: Reading, own: Reading) -> Reading:
    return replace(above, parsed=replace(above.parsed, extension=own.parsed.extension))


def is_number_title(word: str, reading: Reading) -> bool:
    """`24/Season 1/S01E02.mkv`: a number above a season is the title of the series."""
    parsed = reading.parsed
    numbered = bool(parsed.seasons or parsed.episodes)
    return word.isdigit() and numbered and (parsed.title is None or reading.title_after_numbers)


def number_title(word: str) -> Reading:
    return Reading(Parsed(title=word), None, False, False)


def in_series(reading: Reading, show: Reading) -> Reading:
    """`Series/Some Show/Some Show - Trailer.mkv` is not a movie, although it has no number."""
    parsed, title = reading.parsed, show.parsed.title
    if not title or not plain_title(parsed.title or "").startswith(plain_title(title)):
        return reading
    if parsed.kind.value == "episode":
        return reading
    kind = Guess("episode", confidence.EPISODE["bare"])
    return replace(reading, parsed=replace(parsed, kind=kind, title=title, special=True))


def in_specials(reading: Reading) -> Reading:
    parsed = reading.parsed
    if not parsed.episodes or parsed.seasons:
        return reading
    changed = replace(parsed, seasons=(0,), special=True, absolute=None)
    return replace(reading, parsed=changed)


def join_with_folder(file: Reading, folder: Reading) -> Reading:
    if is_unreadable(file, folder) or is_sample_of(file, folder):
        own = file.parsed
        taken = replace(folder.parsed, extension=own.extension, sample=own.sample, part=own.part)
        return replace(folder, parsed=taken)
    parsed = with_season(file, folder.parsed)
    parsed = with_title(replace(file, parsed=parsed), folder)
    parsed = with_release(parsed, folder.parsed)
    title_after_numbers = file.title_after_numbers and parsed.title == file.parsed.title
    return Reading(parsed, file.form, title_after_numbers, file.has_tags or folder.has_tags)


def is_unreadable(file: Reading, folder: Reading) -> bool:
    """Return True if the file name says almost nothing and the folder has a release name."""
    if (
        not folder.has_tags
        or not folder.parsed.title
        or folder.parsed.kind.confidence < confidence.MOVIE_WITH_TAGS
    ):
        return False
    if file.form in ("sxxeyy", "cross", "worded", "date") or file.parsed.year:
        return False
    if has_numbers_of_title(file.parsed, folder.parsed):
        return True
    title = file.parsed.title or ""
    # `Some.Film.2012.720p-GROUP/grp-film.720p.mkv`
    if folder.parsed.year and not file.form and " " not in title:
        return True
    if not file.has_tags and file.form is None and not is_pack(folder):
        named = " " in title and not is_scene_abbreviation(title, folder.parsed.title)
        return not named or folder.form is not None
    if folder.form in ("sxxeyy", "cross") and not file.has_tags:
        return True
    return bool(SCRAMBLED.match(title))


def has_numbers_of_title(file: Parsed, folder: Parsed) -> bool:
    """`12.12.Some.Film.2023.1080p-GROUP/12.12.some.film-cd1.avi`: the numbers are no episode."""
    if folder.kind.value != "movie" or not folder.year or not file.episodes:
        return False
    numbers = "".join(map(str, (*file.seasons, *file.episodes)))
    return same_title(f"{numbers} {file.title}", folder.title or "")


def is_scene_abbreviation(title: str, whole: str) -> bool:
    """`harboura_qh` in the folder of `The Quiet Harbour`: the scene's short form for the first of
    two.
    """
    head, *rest = title.split()
    known = any(head[:-1] == word for word in whole.lower().split())
    return (
        title.islower() and len(rest) == 1 and len(head) > LONG_WORD and len(rest[0]) < 4 and known
    )


def is_sample_of(file: Reading, folder: Reading) -> bool:
    """A sample belongs to the release in its folder, regardless of its name."""
    named = folder.has_tags and folder.parsed.title is not None
    return file.parsed.sample and named and not is_pack(folder)


def is_pack(folder: Reading) -> bool:
    return bool(folder.parsed.seasons) and not folder.parsed.episodes


def with_season(file: Reading, folder: Parsed) -> Parsed:
    parsed = file.parsed
    # One file is not a whole season.
    if parsed.seasons and not parsed.episodes and folder.seasons and folder.episodes:
        return replace(parsed, seasons=folder.seasons, episodes=folder.episodes)
    if parsed.seasons or parsed.date or len(folder.seasons) != 1:
        return parsed
    season = folder.seasons[0]
    if not parsed.episodes:
        # A file in `Season 1` is an episode even if its name has no number.
        if parsed.year or folder.episodes:
            return parsed
        sure = confidence.EPISODE["bare"]
        kind = Guess("episode", sure)
        own = parsed.episode_title or parsed.title
        return replace(parsed, kind=kind, seasons=(season,), title=None, episode_title=own)
    episodes = parsed.episodes
    if season and all(number // 100 == season for number in episodes):
        episodes = tuple(number % 100 for number in episodes)
    sure = max(parsed.kind.confidence, confidence.EPISODE["pack"])
    # Such a high number is absolute numbering.
    absolute = parsed.absolute if episodes[0] > 99 else None
    kind = Guess("episode", sure)
    return replace(parsed, kind=kind, seasons=(season,), episodes=episodes, absolute=absolute)


def with_title(file: Reading, folder: Reading) -> Parsed:
    above = folder.parsed
    if above.title is None:
        return file.parsed
    parsed = with_year_in_title(file.parsed, above)
    same = parsed.title is not None and same_title(parsed.title, above.title)
    if not same and not wants_title(file, folder):
        return parsed
    # Prefer the spelling with accents.
    plainer = (parsed.title or "").isascii() and not above.title.isascii()
    title = parsed.title if same and not plainer else above.title
    year = parsed.year or above.year
    kind = parsed.kind
    if kind.value == "episode" and parsed.seasons and file.form:
        kind = Guess(
            "episode", max(kind.confidence, confidence.of_episode(file.form, title, False))
        )
    elif kind.value != "episode" and year:
        kind = Guess("movie", confidence.of_movie(title, year, file.has_tags))
    episode_title = parsed.episode_title or (None if same or file.form else parsed.title)
    return replace(
        parsed,
        title=title,
        year=year,
        kind=kind,
        country=parsed.country or above.country,
        episode_title=episode_title,
    )


def with_year_in_title(parsed: Parsed, above: Parsed) -> Parsed:
    """`Space 1999 (1975)/Space.1999.S01E01.mkv`: the first year belongs to the title."""
    if not parsed.year or above.year in (None, parsed.year):
        return parsed
    if not same_title(f"{parsed.title} {parsed.year}", above.title or ""):
        return parsed
    return replace(parsed, title=above.title, year=above.year)


def wants_title(file: Reading, folder: Reading) -> bool:
    parsed = file.parsed
    if parsed.title is None or file.title_after_numbers:
        return True
    if parsed.title.lower() in NO_TITLES or ends_with_folder_title(parsed.title, folder.parsed):
        return True
    # `Some.Show.S01E02.1080p-GROUP/group-some.s-s01e02.mkv`
    numbered = (folder.parsed.seasons, folder.parsed.episodes)
    same = parsed.episodes and numbered == (parsed.seasons, parsed.episodes)
    if same and folder.has_tags and not file.has_tags:
        return True
    # `Some.Film.2016.1080p-GROUP/group-some.film.2016.mkv`
    if folder.has_tags and plain_title(parsed.title).endswith(
        plain_title(folder.parsed.title or "?")
    ):
        return True
    # `Some.Show.S01.1080p-GROUP/sosh-s01e02.mkv`
    if folder.has_tags and file.form == "sxxeyy" and not file.has_tags and " " not in parsed.title:
        return True
    # `Title (1999)/cd1.avi`
    return not (file.has_tags or file.form or parsed.year) and folder.parsed.year is not None


def ends_with_folder_title(title: str, folder: Parsed) -> bool:
    """`Title (1999)/Somebody - Title.avi` and `Title (1999)/09.03.08.Title.avi`."""
    return folder.year is not None and same_title(HEAD.sub("", title), folder.title or "")


def same_title(one: str, other: str) -> bool:
    return plain_title(one) == plain_title(other)


def plain_title(title: str) -> str:
    return NO_WORD.sub("", unicodedata.normalize("NFKD", title.casefold().replace("&", "and")))


def with_release(parsed: Parsed, folder: Parsed) -> Parsed:
    # Most folders of a library are only a title or a season.
    if folder.release == NO_RELEASE and folder.ids == NO_IDS and not folder.edition:
        return parsed
    own, above = astuple(parsed.release), astuple(folder.release)
    ids, more = astuple(parsed.ids), astuple(folder.ids)
    return replace(
        parsed,
        release=Release(*[mine or theirs for mine, theirs in zip(own, above, strict=True)]),
        edition=parsed.edition or folder.edition,
        ids=Ids(*[mine or theirs for mine, theirs in zip(ids, more, strict=True)]),
    )
