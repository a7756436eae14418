"""Types that several features share."""

from typing import Annotated, Literal

import msgspec

Kind = Literal["movie", "series"]
# What a name format or a library is for. Music and photos are named by what is in the files.
FormatKind = Literal["movie", "series", "music", "photos"]
TaggedKind = Literal["music", "photos"]
Order = Literal["aired", "dvd", "absolute"]
ProviderName = Literal["tmdb", "tvmaze", "tvdb", "anilist", "omdb", "wikidata", "demo"]
# Also services that are not catalogs of movies or series.
LookupName = ProviderName | Literal["musicbrainz", "acoustid"]

# The largest value a 64-bit integer column can hold.
LARGEST_ID = 2**63 - 1

Id = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)]
