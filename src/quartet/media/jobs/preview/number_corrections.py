"""Numbers that a user corrects: season, episodes, part and kind of one or many items."""

from collections.abc import Iterator, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from quartet.kernel.errors import AppError
from quartet.media.jobs.types import NewNumbers
from quartet.media.names.types import Guess, Parsed


def correct_numbers(items: Sequence[Parsed], numbers: NewNumbers) -> list[Parsed]:
    """Return the items with the numbers of the user, in the same order."""
    given = _episodes(items, numbers)
    return [
        _corrected(parsed, numbers, episodes) for parsed, episodes in zip(items, given, strict=True)
    ]


def _episodes(items: Sequence[Parsed], numbers: NewNumbers) -> Iterator[tuple[int, ...]]:
    following = numbers.first_episode
    for parsed in items:
        own = parsed.episodes or (() if parsed.absolute is None else (parsed.absolute,))
        if numbers.episodes is not UNSET:
            own = tuple(numbers.episodes)
        if following is not UNSET:
            # A file with two episodes keeps two.
            own = tuple(range(following, following + max(1, len(own))))
            following += len(own)
        yield tuple(number + numbers.shift for number in own)


def _corrected(parsed: Parsed, numbers: NewNumbers, episodes: tuple[int, ...]) -> Parsed:
    if any(number < 0 for number in episodes):
        raise AppError(400, "episode_negative")
    kind = parsed.kind.value if numbers.kind is UNSET else numbers.kind
    part = parsed.part if numbers.part is UNSET else numbers.part
    parsed = replace(parsed, part=part, other_readings=(), corrected=True)
    if kind == "movie" and not _changes_episodes(numbers, episodes):
        return replace(
            parsed, kind=Guess("movie", 1.0), seasons=(), episodes=(), absolute=None, date=None
        )
    seasons = parsed.seasons
    if numbers.season is not UNSET:
        seasons = () if numbers.season is None else (numbers.season,)
    return replace(
        parsed,
        kind=Guess("episode", 1.0),
        seasons=seasons,
        episodes=episodes,
        absolute=None,
        date=None,
        episode_title=None,
        # These belong to the numbers that were wrong.
        extra=None,
        extra_title=None,
    )


def _changes_episodes(numbers: NewNumbers, episodes: tuple[int, ...]) -> bool:
    """A movie among the items to shift stays a movie."""
    return (
        bool(numbers.shift and episodes)
        or numbers.season is not UNSET
        or numbers.episodes is not UNSET
        or numbers.first_episode is not UNSET
    )
