"""Types that several features share."""

from typing import Annotated, Literal

import msgspec

Kind = Literal["movie", "series"]
Order = Literal["aired", "dvd", "absolute"]
ProviderName = Literal["tmdb", "tvmaze", "tvdb", "anilist", "omdb", "wikidata", "demo"]

# The largest value a 64-bit integer column can hold.
LARGEST_ID = 2**63 - 1

Id = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)]
