"""Finds the episodes of a file in the list of its series."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quartet.media.catalog.types import Episode
from quartet.media.match.types import Reason
from quartet.media.names.types import Parsed

_UNKNOWN = 0.7
_NONE = 0.5
# Several seasons may have been counted in more than one way.
_COUNTED_THROUGH = 0.85


class Numbered(NamedTuple):
    episodes: tuple[Episode, ...]
    # What the confidence is multiplied by.
    factor: float
    reasons: tuple[Reason, ...] = ()


class EpisodeList:
    """One series, ready for many files."""

    def __init__(self, episodes: Iterable[Episode]) -> None:
        found = list(episodes)
        self._by_number = {(each.season, each.episode): each for each in found}
        self._by_absolute = {each.absolute: each for each in found if each.absolute}
        self._by_date: dict[str, list[Episode]] = {}
        for each in found:
            if each.air_date:
                self._by_date.setdefault(each.air_date, []).append(each)
        self._one_season = len({each.season for each in found if each.season > 0}) == 1

    def find(self, parsed: Parsed) -> Numbered:
        if parsed.date is not None and not parsed.episodes:
            aired = self._by_date.get(parsed.date.isoformat(), [])
            return _numbered(aired, max(1, len(aired)))
        if parsed.season is not None and parsed.episodes:
            found = [self._by_number.get((parsed.season, number)) for number in parsed.episodes]
            return _numbered(found, len(parsed.episodes))
        numbers = parsed.episodes or (() if parsed.absolute is None else (parsed.absolute,))
        if parsed.seasons or not numbers:
            return Numbered((), _NONE, ("no_episode",))
        through = _numbered([self._by_absolute.get(number) for number in numbers], len(numbers))
        if self._one_season or not through.episodes:
            return through
        return through._replace(
            factor=through.factor * _COUNTED_THROUGH,
            reasons=(*through.reasons, "absolute_number"),
        )


def _numbered(found: Sequence[Episode | None], wanted: int) -> Numbered:
    known = tuple(each for each in found if each)
    if len(known) == wanted:
        return Numbered(known, 1.0)
    return Numbered(known, _UNKNOWN, ("episode_unknown",))
