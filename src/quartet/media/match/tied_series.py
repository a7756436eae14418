"""Chooses between series with the same title: the one that has the episodes of the files."""

from collections.abc import Awaitable, Callable, Sequence

from quartet.media.catalog.types import Candidate
from quartet.media.match.episodes import EpisodeList, readings
from quartet.media.match.scoring import Scored
from quartet.media.names.types import Parsed

# The episode lists of more series are not fetched.
_MOST_LISTED = 3

ListOf = Callable[[Candidate], Awaitable[EpisodeList]]


async def series_with_episodes(
    items: Sequence[Parsed], tied: Sequence[Scored], list_of: ListOf
) -> Scored | None:
    """Return the only series that has all episodes of these files, or None."""
    numbered = [parsed for parsed in items if _is_numbered(parsed)]
    if not numbered or len(tied) > _MOST_LISTED:
        return None
    having = []
    for one in tied:
        listed = await list_of(one.candidate)
        if all(listed.find(parsed).is_complete for parsed in numbered):
            having.append(one)
    return having[0] if len(having) == 1 else None


def _is_numbered(parsed: Parsed) -> bool:
    return not parsed.extra and any(one.episodes or one.date for one in readings(parsed))
