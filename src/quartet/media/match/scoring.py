"""Scores how well a catalog entry fits a name. Works for every script."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from quartet.media.catalog.title_folding import fold_title, strip_article
from quartet.media.catalog.types import Candidate
from quartet.media.match.types import Reason
from quartet.media.names.types import Parsed

# Upper bound of the score when the year is unknown.
_YEAR_MISSING = {"movie": 0.85, "series": 1.0}
_YEAR_CLOSE = 0.92
_YEAR_DIFFERS = 0.55
_OTHER_COUNTRY = 0.7
_COUNTRIES = {"UK": "GB"}
_AMBIGUOUS_GAP = 0.05
_MIN_SCORE = 0.5
_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8"}
# `Battlestar Galactica (2003)`, `The Office (US)`
_ADDED = re.compile(r"\s*\((?:(?:19|20)\d\d|[A-Z]{2,3})\)$")
_SEQUEL = re.compile(r"\d+")


class Scored(NamedTuple):
    candidate: Candidate
    score: float
    reasons: tuple[Reason, ...]


def ranked(parsed: Parsed, candidates: Iterable[Candidate]) -> list[Scored]:
    """Return the candidates that resemble the name, best first."""
    scored = [_score(parsed, candidate) for candidate in candidates]
    fitting = [each for each in scored if each.score >= _MIN_SCORE]
    return sorted(fitting, key=lambda each: -each.score)


def score_of_best(found: Sequence[Scored]) -> tuple[float, tuple[Reason, ...]]:
    """Return the confidence of the best one, lower if the second is nearly as good."""
    best = found[0]
    if len(found) == 1:
        return best.score, best.reasons
    gap = best.score - found[1].score
    if gap >= _AMBIGUOUS_GAP:
        return best.score, best.reasons
    return best.score * (0.75 + 5 * gap), (*best.reasons, "ambiguous")


def tied(found: Sequence[Scored]) -> tuple[Scored, ...]:
    """Return the best one and those that are nearly as good; empty if there is only one."""
    equal = tuple(one for one in found if found[0].score - one.score < _AMBIGUOUS_GAP)
    return equal if len(equal) > 1 else ()


def similarity(one: str, other: str) -> float:
    """Return the similarity of two titles, 0 to 1."""
    left, right = fold_title(one), fold_title(other)
    if not left or not right:
        return 0.0
    if left == right:
        return 1.0
    if _skeleton(left) == _skeleton(right):
        return 0.98
    from rapidfuzz import fuzz

    alike = max(fuzz.ratio(left, right), 0.97 * fuzz.token_sort_ratio(left, right)) / 100
    # `Rocky` and `Rocky II` differ only in the number, which matters most.
    return alike if _numbers(left) == _numbers(right) else alike * 0.7


def _skeleton(title: str) -> str:
    """Return the title without what names often leave out: an article, `&` and spaces."""
    return f" {strip_article(title)} ".replace(" and ", " ").replace(" ", "")


def _names(candidate: Candidate) -> Iterator[str]:
    """Yield all titles, also without a year or country that catalogs add to tell titles apart."""
    for name in (candidate.title, candidate.original_title, *candidate.other_titles):
        if name:
            yield name
            plain = _ADDED.sub("", name)
            if plain and plain != name:
                yield plain


def _score(parsed: Parsed, candidate: Candidate) -> Scored:
    wanted = [title for title in (parsed.title, *parsed.other_titles) if title]
    names = list(_names(candidate))
    alike = max((similarity(title, name) for title in wanted for name in names), default=0.0)
    year, reason = _year(parsed, candidate)
    title_reason: Reason = "title_exact" if alike >= 0.98 else "title_similar"
    return Scored(candidate, alike * year * _country(parsed, candidate), (title_reason, reason))


def _year(parsed: Parsed, candidate: Candidate) -> tuple[float, Reason]:
    if parsed.year is None or candidate.year is None:
        return _YEAR_MISSING[candidate.kind], "year_missing"
    apart = abs(parsed.year - candidate.year)
    if apart == 0:
        return 1.0, "year_exact"
    if apart == 1:
        return _YEAR_CLOSE, "year_close"
    return _YEAR_DIFFERS, "year_differs"


def _country(parsed: Parsed, candidate: Candidate) -> float:
    """`The Office US` is not the British series."""
    wanted = _COUNTRIES.get(parsed.country or "", parsed.country)
    if wanted is None or not candidate.countries or wanted in candidate.countries:
        return 1.0
    return _OTHER_COUNTRY


def _numbers(title: str) -> list[str]:
    words = (_ROMAN.get(word, word) for word in title.split())
    return sorted(number for word in words for number in _SEQUEL.findall(word))
