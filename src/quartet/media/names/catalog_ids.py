"""Catalog ids in a name: `{tmdb-603}`, `[tvdbid=81189]`, `tt0133093`."""

import re

from quartet.media.names.types import Ids

MARK = re.compile(
    r"[\[({]?\s?(?:(?:imdb(?:id)?[-=:\s])?(tt\d{7,9})"
    r"|tmdb(?:id)?[-=:\s](\d{1,9})|tvdb(?:id)?[-=:\s](\d{1,9})|anidb(?:id)?\d?[-=:\s](\d{1,9}))"
    r"\s?[\])}]?(?![^\W_])",
    re.I,
)
NONE = Ids()


def take(text: str) -> tuple[str, Ids]:
    """Return the text without the ids, and the ids."""
    lower = text.lower()
    if "tt" not in lower and "db" not in lower:
        return text, NONE
    found: list[str | None] = [None] * 4
    for match in MARK.finditer(text):
        found = [old or new for old, new in zip(found, match.groups(), strict=True)]
    if not any(found):
        return text, NONE
    imdb, tmdb, tvdb, anidb = found
    ids = Ids(
        imdb.lower() if imdb else None,
        int(tmdb) if tmdb else None,
        int(tvdb) if tvdb else None,
        int(anidb) if anidb else None,
    )
    return MARK.sub(" ", text).strip(), ids
