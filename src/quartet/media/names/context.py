"""What the folders around a file add: season, title, year, and the facts of a release folder."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from quartet.media.names import confidence
from quartet.media.names.name import Reading, read_name
from quartet.media.names.tables.folders import NO_TITLES, SERIES_SHELVES, SHELVES, SPECIALS
from quartet.media.names.types import Guess, Parsed

# Letters that no two words share by chance.
LONG = 5
# How far up folders are asked; above are shelves and mount points.
DEPTH = 4
# What may stand before the title that the folder has too: a name or numbers.
HEAD = re.compile(r"^(?:.* - |[\d\W_]+)")
NO_WORD = re.compile(r"[\W_]+")
# `a3f9c0de11b2` or `XD607ebb-BRc59935`: a name that was made unreadable on purpose.
SCRAMBLED = re.compile(r"(?=[^\W_]*\d)(?=[^\W\d_]*[^\W_]*[^\W\d_])[\w-]{12,}$")

read_folder = lru_cache(maxsize=4096)(read_name)


def in_folders(name: str, folders: Sequence[str]) -> Parsed:
    """The nearest folder is asked first, and what the file says itself is kept."""
    own = reading = read_name(name)
    nearest = None
    for folder in reversed(folders[-DEPTH:]):
        word = folder.strip().lower()
        if word in SPECIALS:
            reading = in_specials(reading)
        elif word in ("sample", "samples"):
            reading = reading._replace(parsed=replace(reading.parsed, sample=True))
        elif word in SERIES_SHELVES and nearest and not own.parsed.year:
            reading = in_series(reading, nearest)
        elif word and word not in SHELVES:
            nearest = read_folder(folder)
            reading = joined(reading, nearest)
    return reading.parsed


def in_series(reading: Reading, show: Reading) -> Reading:
    """`Series/Some Show/Some Show - Trailer.mkv` is no film, though it has no number."""
    parsed, title = reading.parsed, show.parsed.title
    if not title or not plain(parsed.title or "").startswith(plain(title)):
        return reading
    if parsed.kind.value == "episode":
        return reading
    kind = Guess("episode", confidence.EPISODE["loose"])
    return reading._replace(parsed=replace(parsed, kind=kind, title=title, special=True))


def in_specials(reading: Reading) -> Reading:
    parsed = reading.parsed
    if not parsed.episodes or parsed.seasons:
        return reading
    changed = replace(parsed, seasons=(0,), special=True, absolute=None)
    return reading._replace(parsed=changed)


def joined(file: Reading, folder: Reading) -> Reading:
    if is_unreadable(file, folder) or is_sample_of(file, folder):
        own = file.parsed
        taken = replace(folder.parsed, extension=own.extension, sample=own.sample, part=own.part)
        return folder._replace(parsed=taken)
    parsed = with_season(file, folder.parsed)
    parsed = with_title(file._replace(parsed=parsed), folder)
    parsed = with_release(parsed, folder.parsed)
    behind = file.behind and parsed.title == file.parsed.title
    return Reading(parsed, file.form, behind, file.told or folder.told)


def is_unreadable(file: Reading, folder: Reading) -> bool:
    """Nothing is known but a word, and the folder has the name of a release."""
    if (
        not folder.told
        or not folder.parsed.title
        or folder.parsed.kind.confidence < confidence.MOVIE_WITH_FACTS
    ):
        return False
    if file.form in ("coded", "cross", "spoken", "date") or file.parsed.year:
        return False
    title = file.parsed.title or ""
    # `Some.Film.2012.720p-GROUP/grp-film.720p.mkv`
    if folder.parsed.year and not file.form and " " not in title:
        return True
    if not file.told and file.form is None and not is_pack(folder):
        named = " " in title and not shortens(title, folder.parsed.title)
        return not named or folder.form is not None
    if folder.form in ("coded", "cross") and not file.told:
        return True
    return bool(SCRAMBLED.match(title))


def shortens(title: str, whole: str) -> bool:
    """`harboura_qh` in the folder of `The Quiet Harbour`, as the scene calls the first of two."""
    head, *rest = title.split()
    known = any(head[:-1] == word for word in whole.lower().split())
    return title.islower() and len(rest) == 1 and len(head) > LONG and len(rest[0]) < 4 and known


def is_sample_of(file: Reading, folder: Reading) -> bool:
    """A sample is one of the release it lies in, whatever it is called itself."""
    named = folder.told and folder.parsed.title is not None
    return file.parsed.sample and named and not is_pack(folder)


def is_pack(folder: Reading) -> bool:
    return bool(folder.parsed.seasons) and not folder.parsed.episodes


def with_season(file: Reading, folder: Parsed) -> Parsed:
    parsed = file.parsed
    # One file is no whole season.
    if parsed.seasons and not parsed.episodes and folder.seasons and folder.episodes:
        return replace(parsed, seasons=folder.seasons, episodes=folder.episodes)
    if parsed.seasons or parsed.date or len(folder.seasons) != 1:
        return parsed
    season = folder.seasons[0]
    if not parsed.episodes:
        # A file in `Season 1` is an episode, though its name has no number.
        if parsed.year or folder.episodes:
            return parsed
        sure = confidence.EPISODE["loose"]
        return replace(parsed, kind=Guess("episode", sure), seasons=(season,), title=None)
    episodes = parsed.episodes
    if season and all(number // 100 == season for number in episodes):
        episodes = tuple(number % 100 for number in episodes)
    sure = max(parsed.kind.confidence, confidence.EPISODE["pack"])
    # A number this high goes on counting through the seasons.
    absolute = parsed.absolute if episodes[0] > 99 else None
    kind = Guess("episode", sure)
    return replace(parsed, kind=kind, seasons=(season,), episodes=episodes, absolute=absolute)


def with_title(file: Reading, folder: Reading) -> Parsed:
    parsed, above = file.parsed, folder.parsed
    if above.title is None:
        return parsed
    same = parsed.title is not None and alike(parsed.title, above.title)
    if not same and not wants_title(file, folder):
        return parsed
    # Of two ways to write it the one with accents is the better.
    plainer = (parsed.title or "").isascii() and not above.title.isascii()
    title = parsed.title if same and not plainer else above.title
    year = parsed.year or above.year
    kind = parsed.kind
    if kind.value == "episode" and parsed.seasons and file.form:
        kind = Guess(
            "episode", max(kind.confidence, confidence.of_episode(file.form, title, False))
        )
    elif kind.value != "episode" and year:
        kind = Guess("movie", confidence.of_movie(title, year, file.told))
    return replace(
        parsed, title=title, year=year, kind=kind, country=parsed.country or above.country
    )


def wants_title(file: Reading, folder: Reading) -> bool:
    parsed = file.parsed
    if parsed.title is None or file.behind:
        return True
    if parsed.title.lower() in NO_TITLES or is_tail(parsed.title, folder.parsed):
        return True
    # `Some.Film.2016.1080p-GROUP/group-some.film.2016.mkv`
    if folder.told and plain(parsed.title).endswith(plain(folder.parsed.title or "?")):
        return True
    # `Some.Show.S01.1080p-GROUP/sosh-s01e02.mkv`
    if folder.told and file.form == "coded" and not file.told and " " not in parsed.title:
        return True
    # `Title (1999)/cd1.avi`
    return not (file.told or file.form or parsed.year) and folder.parsed.year is not None


def is_tail(title: str, folder: Parsed) -> bool:
    """`Title (1999)/Somebody - Title.avi`, and `Title (1999)/09.03.08.Title.avi`."""
    return folder.year is not None and alike(HEAD.sub("", title), folder.title or "")


def alike(one: str, other: str) -> bool:
    return plain(one) == plain(other)


def plain(title: str) -> str:
    return NO_WORD.sub("", unicodedata.normalize("NFKD", title.casefold()))


def with_release(parsed: Parsed, folder: Parsed) -> Parsed:
    own, above = msgspec.structs.asdict(parsed.release), msgspec.structs.asdict(folder.release)
    release = replace(parsed.release, **{key: own[key] or above[key] for key in own})
    ids, more = msgspec.structs.asdict(parsed.ids), msgspec.structs.asdict(folder.ids)
    return replace(
        parsed,
        release=release,
        edition=parsed.edition or folder.edition,
        ids=replace(parsed.ids, **{key: ids[key] or more[key] for key in ids}),
    )
