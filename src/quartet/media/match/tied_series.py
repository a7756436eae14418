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
    """Return the series that has more of the episodes of these files, or None.

    It has all that the others have, so that a file which no catalog knows does not matter.
    """
    numbered = [parsed for parsed in items if _is_numbered(parsed)]
    if not numbered or not 1 < len(tied) <= _MOST_LISTED:
        return None
    having = []
    for one in tied:
        listed = await list_of(one.candidate)
        having.append({at for at, parsed in enumerate(numbered) if listed.find(parsed).is_complete})
    most = max(having, key=len)
    others = [found for found in having if found is not most]
    return tied[having.index(most)] if all(found < most for found in others) else None


def _is_numbered(parsed: Parsed) -> bool:
    regular = not parsed.extra and (not parsed.special or bool(parsed.season))
    return regular and any(one.episodes or one.date for one in readings(parsed))
