"""The titles of the demo catalog, read from the text files in this folder."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from quartet.media.catalog.absolute_numbers import with_absolute_numbers
from quartet.media.catalog.title_folding import fold_title
from quartet.media.catalog.types import Candidate, Episode
from quartet.media.types import Kind

_FOLDER = Path(__file__).parent
# The beginning of the address of a poster that this service draws.
DRAWN = "demo:"


class Show(NamedTuple):
    candidate: Candidate
    episodes: list[Episode]


@cache
def movies() -> dict[str, Candidate]:
    lines = (_FOLDER / "movies.txt").read_text("utf-8").splitlines()
    found = [_candidate("movie", line) for line in lines]
    return {candidate.id: candidate for candidate in found}


@cache
def series() -> dict[str, Show]:
    """Read blocks separated by an empty line: the title, then one line per season."""
    text = (_FOLDER / "series.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    shows = [_show(block.splitlines()) for block in "\n".join(lines).split("\n\n")]
    return {show.candidate.id: show for show in shows}


def _show(lines: list[str]) -> Show:
    head, *seasons = [line for line in lines if line.strip()]
    episodes = with_absolute_numbers(
        Episode(season=season, episode=number, title=title)
        for season, line in enumerate(seasons, start=1)
        for number, title in enumerate(_titles(line), start=1)
    )
    return Show(_candidate("series", head, len(episodes)), episodes)


def _titles(line: str) -> list[str]:
    if line.isdecimal():
        return [f"Episode {number}" for number in range(1, int(line) + 1)]
    return [title.strip() for title in line.split(";")]


def _candidate(kind: Kind, line: str, episodes: int | None = None) -> Candidate:
    title, year, original, country, collection = [*line.split("|"), "", "", ""][:5]
    id = f"{fold_title(title).replace(' ', '-')}-{year}"
    return Candidate(
        provider="demo",
        id=id,
        kind=kind,
        title=title,
        original_title=original or title,
        year=int(year),
        countries=(country,) if country else (),
        episode_count=episodes,
        collection=collection or None,
        poster=f"{DRAWN}{kind}:{id}",
    )
