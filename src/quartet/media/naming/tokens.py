"""The values a template may name."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from quartet.media.naming.types import Facts

# What gives way first when a name is too long; a NUMBER never does.
EPISODE_TITLE, DETAIL, TITLE, LITERAL, NUMBER = range(5)


class Token(NamedTuple):
    read: Callable[[Facts], str]
    rank: int = DETAIL


def _text(name: str) -> Callable[[Facts], str]:
    def read(facts: Facts) -> str:
        value = getattr(facts, name)
        return "" if value is None else str(value)

    return read


def _two(number: int | None) -> str:
    return "" if number is None else f"{number:02}"


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Neighbours together: 1, 2, 3, 7 are 1 to 3 and 7."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _several(numbers: Sequence[int], mark: str, digits: int = 2) -> str:
    """`E04`, `E04-E05`, `E01-E03E07`: media servers take a dash for all that lies between."""
    runs = [
        "-".join(f"{mark}{end:0{digits}}" for end in dict.fromkeys(run)) for run in _runs(numbers)
    ]
    return ("" if mark else "+").join(runs)


def _season_episode(facts: Facts) -> str:
    if not facts.episodes:
        return ""
    return f"S{facts.season or 0:02}{_several(facts.episodes, 'E')}"


def _cross(facts: Facts) -> str:
    if not facts.episodes:
        return ""
    season = facts.season or 0
    return re.sub(r"\d+", lambda number: f"{season}x{number[0]}", _several(facts.episodes, ""))


def _titles(facts: Facts) -> str:
    return " & ".join(dict.fromkeys(title for title in facts.episode_titles if title))


def _rating(facts: Facts) -> str:
    return "" if facts.rating is None else f"{facts.rating:.1f}"


TOKENS: Mapping[str, Token] = {
    "n": Token(_text("title"), TITLE),
    "y": Token(_text("year"), NUMBER),
    "s": Token(_text("season"), NUMBER),
    "e": Token(lambda facts: _several(facts.episodes, "", 1), NUMBER),
    "s00": Token(lambda facts: _two(facts.season), NUMBER),
    "e00": Token(lambda facts: _several(facts.episodes, ""), NUMBER),
    "s00e00": Token(_season_episode, NUMBER),
    "sxe": Token(_cross, NUMBER),
    "t": Token(_titles, EPISODE_TITLE),
    "absolute": Token(lambda facts: _several(facts.absolute, "", 1), NUMBER),
    "abs": Token(lambda facts: _several(facts.absolute, "", 3), NUMBER),
    "d": Token(_text("date"), NUMBER),
    "vf": Token(_text("resolution"), NUMBER),
    "vc": Token(_text("video_codec")),
    "ac": Token(_text("audio_codec")),
    "af": Token(_text("audio_channels")),
    "hdr": Token(_text("hdr")),
    "source": Token(_text("source")),
    "group": Token(_text("group")),
    "lang": Token(lambda facts: "-".join(facts.languages)),
    "edition": Token(_text("edition")),
    "part": Token(_text("part"), NUMBER),
    "id": Token(_text("id"), NUMBER),
    "provider": Token(_text("provider"), NUMBER),
    "orig": Token(_text("original"), TITLE),
    "ext": Token(lambda facts: facts.extension.lstrip("."), NUMBER),
    "kind": Token(_text("kind"), NUMBER),
    "imdb": Token(_text("imdb"), NUMBER),
    "tmdb": Token(_text("tmdb"), NUMBER),
    "tvdb": Token(_text("tvdb"), NUMBER),
    "rating": Token(_rating, NUMBER),
}
