"""Rounds of a sports season: `Formula 1 2024 Round 05 Monaco`, `NFL 2023 Week 12`.

The year is the season, as in catalogs of sports.
"""

import re

from quartet.media.names.numbers import EpisodeNumbers
from quartet.media.names.tables import word_set

WORDS = word_set(
    "round rd r week matchday gameweek stage spieltag runde etappe etape étape journée journee"
    " jornada giornata speelronde"
)
WORD = "|".join(sorted(WORDS - {"r"}, key=len, reverse=True))
ROUND = re.compile(
    # `2023`, or `2023-24` for a season that ends in the next year.
    r"(?<![^\W_])((?:19|20)\d\d)(?:[-/](?:20)?\d\d(?!\d))?[\s._-]{1,3}"
    rf"(?:(?:(?:{WORD})[\s._]?|r(?=\d\d))(\d{{1,2}})|(\d{{1,2}})\.?[\s._]?(?:{WORD}))(?![^\W_])",
    re.I,
)


def find(text: str) -> EpisodeNumbers | None:
    match = ROUND.search(text)
    if not match or not match.start():
        return None
    episode = int(match[2] or match[3])
    return EpisodeNumbers("count", match.start(), match.end(), (int(match[1]),), (episode,))
