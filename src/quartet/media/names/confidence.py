"""How sure a reading is, in figures that the benchmark checks against outside data."""

from quartet.media.names.numbers import Form

EPISODE: dict[Form, float] = {
    "coded": 0.97,
    "cross": 0.96,
    "pack": 0.94,
    "spoken": 0.93,
    "absolute": 0.9,
    "date": 0.88,
    "count": 0.8,
    "loose": 0.8,
    "pair": 0.6,
}
MOVIE_WITH_YEAR = 0.95
MOVIE_WITH_FACTS = 0.85
BARE = 0.75
# A title that only stands behind the numbers is more likely that of the episode.
TITLE_BEHIND = 0.5


def of_episode(form: Form, title: str | None, behind: bool) -> float:
    sure = EPISODE[form]
    if title is None:
        return sure * 0.7
    return sure * TITLE_BEHIND if behind else sure


def of_movie(title: str | None, year: int | None, told: bool) -> float:
    if title is None:
        return 0.0
    if year is not None:
        return MOVIE_WITH_YEAR
    return MOVIE_WITH_FACTS if told else BARE
