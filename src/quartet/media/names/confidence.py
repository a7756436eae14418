"""Confidence of a parse; the values are checked by the benchmark against external data."""

from quartet.media.names.numbers import Form

EPISODE: dict[Form, float] = {
    "sxxeyy": 0.97,
    "cross": 0.96,
    "pack": 0.94,
    "worded": 0.93,
    "absolute": 0.9,
    "date": 0.88,
    "count": 0.8,
    "bare": 0.8,
    "pair": 0.6,
}
MOVIE_WITH_YEAR = 0.95
MOVIE_WITH_TAGS = 0.85
BARE = 0.75
# A title that only follows the numbers is more likely the episode's title.
TITLE_BEHIND = 0.5


def of_episode(form: Form, title: str | None, title_after_numbers: bool) -> float:
    sure = EPISODE[form]
    if title is None:
        return sure * 0.7
    return sure * TITLE_BEHIND if title_after_numbers else sure


def of_movie(title: str | None, year: int | None, has_tags: bool) -> float:
    if title is None:
        return 0.0
    if year is not None:
        return MOVIE_WITH_YEAR
    return MOVIE_WITH_TAGS if has_tags else BARE
