"""The tokens of a template."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from quartet.media.naming.types import Facts

# Order in which values are shortened if a name is too long; a NUMBER never is.
EPISODE_TITLE, DETAIL, TITLE, LITERAL, NUMBER = range(5)


class TemplateToken(NamedTuple):
    read: Callable[[Facts], str]
    rank: int = DETAIL


def _text(name: str) -> Callable[[Facts], str]:
    def read(facts: Facts) -> str:
        value = getattr(facts, name)
        return "" if value is None else str(value)

    return read


def _two_digits(number: int | None) -> str:
    return "" if number is None else f"{number:02}"


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Group consecutive numbers: 1, 2, 3, 7 become 1-3 and 7."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _number_ranges(numbers: Sequence[int], mark: str, digits: int = 2) -> str:
    """Return `E04`, `E04-E05` or `E01-E03E07`; media servers read a dash as a range."""
    runs = [
        "-".join(f"{mark}{end:0{digits}}" for end in dict.fromkeys(run)) for run in _runs(numbers)
    ]
    return ("" if mark else "+").join(runs)


def _season_episode(facts: Facts) -> str:
    if not facts.episodes:
        return ""
    return f"S{facts.season or 0:02}{_number_ranges(facts.episodes, 'E')}"


def _season_x_episode(facts: Facts) -> str:
    if not facts.episodes:
        return ""
    season = facts.season or 0
    return re.sub(
        r"\d+", lambda number: f"{season}x{number[0]}", _number_ranges(facts.episodes, "")
    )


def _titles(facts: Facts) -> str:
    return " & ".join(dict.fromkeys(title for title in facts.episode_titles if title))


def _rating(facts: Facts) -> str:
    return "" if facts.rating is None else f"{facts.rating:.1f}"


def _taken(form: str) -> Callable[[Facts], str]:
    return lambda facts: "" if facts.taken is None else facts.taken.strftime(form)


TOKENS: Mapping[str, TemplateToken] = {
    "n": TemplateToken(_text("title"), TITLE),
    "y": TemplateToken(_text("year"), NUMBER),
    "s": TemplateToken(_text("season"), NUMBER),
    "e": TemplateToken(lambda facts: _number_ranges(facts.episodes, "", 1), NUMBER),
    "s00": TemplateToken(lambda facts: _two_digits(facts.season), NUMBER),
    "e00": TemplateToken(lambda facts: _number_ranges(facts.episodes, ""), NUMBER),
    "s00e00": TemplateToken(_season_episode, NUMBER),
    "sxe": TemplateToken(_season_x_episode, NUMBER),
    "t": TemplateToken(_titles, EPISODE_TITLE),
    "absolute": TemplateToken(lambda facts: _number_ranges(facts.absolute, "", 1), NUMBER),
    "abs": TemplateToken(lambda facts: _number_ranges(facts.absolute, "", 3), NUMBER),
    "d": TemplateToken(_text("date"), NUMBER),
    "vf": TemplateToken(_text("resolution"), NUMBER),
    "vc": TemplateToken(_text("video_codec")),
    "ac": TemplateToken(_text("audio_codec")),
    "af": TemplateToken(_text("audio_channels")),
    "hdr": TemplateToken(_text("hdr")),
    "source": TemplateToken(_text("source")),
    "group": TemplateToken(_text("group")),
    "lang": TemplateToken(lambda facts: "-".join(facts.languages)),
    "edition": TemplateToken(_text("edition")),
    "part": TemplateToken(_text("part"), NUMBER),
    "id": TemplateToken(_text("id"), NUMBER),
    "provider": TemplateToken(_text("provider"), NUMBER),
    "orig": TemplateToken(_text("original"), TITLE),
    "ext": TemplateToken(lambda facts: facts.extension.lstrip("."), NUMBER),
    "kind": TemplateToken(_text("kind"), NUMBER),
    "imdb": TemplateToken(_text("imdb"), NUMBER),
    "tmdb": TemplateToken(_text("tmdb"), NUMBER),
    "tvdb": TemplateToken(_text("tvdb"), NUMBER),
    "rating": TemplateToken(_rating, NUMBER),
    "collection": TemplateToken(_text("collection"), TITLE),
    "artist": TemplateToken(_text("artist"), TITLE),
    "trackartist": TemplateToken(_text("track_artist")),
    "album": TemplateToken(_text("album"), TITLE),
    "track": TemplateToken(lambda facts: _two_digits(facts.track), NUMBER),
    "disc": TemplateToken(_text("disc"), NUMBER),
    "genre": TemplateToken(_text("genre")),
    "month": TemplateToken(_taken("%m"), NUMBER),
    "day": TemplateToken(_taken("%d"), NUMBER),
    "time": TemplateToken(_taken("%H.%M.%S"), NUMBER),
    "camera": TemplateToken(_text("camera")),
    "file": TemplateToken(_text("file"), TITLE),
}
