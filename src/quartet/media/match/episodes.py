"""Finds the episodes of a file in the episode list of its series."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quartet.media.catalog.types import Episode
from quartet.media.match.types import Reason
from quartet.media.names.types import Parsed

_EPISODE_UNKNOWN_FACTOR = 0.7
_NO_EPISODE_FACTOR = 0.5
# With several seasons, absolute numbers are ambiguous.
_ABSOLUTE_FACTOR = 0.85


class EpisodeMatch(NamedTuple):
    episodes: tuple[Episode, ...]
    # Multiplied with the confidence.
    factor: float
    reasons: tuple[Reason, ...] = ()


class EpisodeList:
    """The episodes of one series, indexed for many lookups."""

    def __init__(self, episodes: Iterable[Episode]) -> None:
        found = list(episodes)
        self._by_number = {(each.season, each.episode): each for each in found}
        self._by_absolute = {each.absolute: each for each in found if each.absolute}
        self._by_date: dict[str, list[Episode]] = {}
        for each in found:
            if each.air_date:
                self._by_date.setdefault(each.air_date, []).append(each)
        self._one_season = len({each.season for each in found if each.season > 0}) == 1

    def find(self, parsed: Parsed) -> EpisodeMatch:
        if parsed.date is not None and not parsed.episodes:
            aired = self._by_date.get(parsed.date.isoformat(), [])
            return _episode_match(aired, max(1, len(aired)))
        if parsed.season is not None and parsed.episodes:
            found = [self._by_number.get((parsed.season, number)) for number in parsed.episodes]
            return _episode_match(found, len(parsed.episodes))
        numbers = parsed.episodes or (() if parsed.absolute is None else (parsed.absolute,))
        if parsed.seasons or not numbers:
            return EpisodeMatch((), _NO_EPISODE_FACTOR, ("no_episode",))
        by_absolute = _episode_match(
            [self._by_absolute.get(number) for number in numbers], len(numbers)
        )
        if self._one_season or not by_absolute.episodes:
            return by_absolute
        return by_absolute._replace(
            factor=by_absolute.factor * _ABSOLUTE_FACTOR,
            reasons=(*by_absolute.reasons, "absolute_number"),
        )


def _episode_match(found: Sequence[Episode | None], wanted: int) -> EpisodeMatch:
    known = tuple(each for each in found if each)
    if len(known) == wanted:
        return EpisodeMatch(known, 1.0)
    return EpisodeMatch(known, _EPISODE_UNKNOWN_FACTOR, ("episode_unknown",))
