"""Reads names without a number as a series and the title of an episode.

Such names look like movies: `Firefly - Out of Gas`, `firefly.out.of.gas.720p`,
`Doctor Who (2005) - Blink`, and `Out of Gas` in the folder `Firefly`.
"""

from collections.abc import Awaitable, Callable, Iterator

from msgspec.structs import replace

from quartet.media.catalog.title_folding import fold_title, strip_article
from quartet.media.catalog.types import Candidate, Provider
from quartet.media.match.episodes import EpisodeList
from quartet.media.match.scoring import Scored, ranked
from quartet.media.names.types import Guess, Parsed

# Words in the title of a series, the commonest number first; each costs a search.
_LENGTHS = (2, 3, 1, 4)
_SHORTEST_SERIES = 3

ListOf = Callable[[Candidate], Awaitable[EpisodeList]]


async def find_series(
    provider: Provider, parsed: Parsed, list_of: ListOf
) -> tuple[Parsed, list[Scored]] | None:
    """Return the name as that of an episode, and the series that has an episode with its title."""
    for title in series_titles(parsed):
        kind = Guess("episode", parsed.kind.confidence)
        episode = replace(parsed, kind=kind, title=title, other_titles=(), other_readings=())
        found = ranked(episode, await provider.search_series(title, parsed.year))
        if not found or found[0].reasons[0] != "title_exact":
            continue
        series = found[0].candidate
        if (await list_of(series)).find(with_episode_title(parsed, series)).is_complete:
            return episode, found
    return None


def series_titles(parsed: Parsed) -> Iterator[str]:
    """Yield what may be the title of the series in a name that looks like a movie's."""
    title = parsed.title or ""
    if parsed.kind.value == "episode":
        return
    if parsed.episode_title:
        yield title
    for other in parsed.other_readings:
        if other.kind == "episode" and other.title:
            yield other.title
    if parsed.year:
        return
    show, dash, _ = title.partition(" - ")
    if dash:
        yield show
        return
    words = title.split()
    for count in _LENGTHS:
        start = " ".join(words[:count])
        if count < len(words) and len(strip_article(start.lower())) >= _SHORTEST_SERIES:
            yield start


def with_episode_title(parsed: Parsed, series: Candidate) -> Parsed:
    """Take the title of the episode from a name that looks like a movie's."""
    if parsed.kind.value == "episode" or parsed.episode_title:
        return parsed
    title = fold_title(parsed.title or "")
    names = (series.title, series.original_title, *series.other_titles)
    starts = [start for name in names if name and title.startswith(start := f"{fold_title(name)} ")]
    # Without the title of the series, which is then that of the folder, all of it.
    return replace(parsed, episode_title=title.removeprefix(max(starts, key=len, default="")))
