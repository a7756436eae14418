from typing import Annotated, Literal

import msgspec

from quartet.kernel.errors import Problem
from quartet.media.catalog.types import Candidate, Episode
from quartet.media.types import Kind, Order, ProviderName

# Reasons for a confidence; each has a text in the UI.
Reason = Literal[
    "title_exact",
    "title_similar",
    "year_exact",
    "year_close",
    "year_differs",
    "year_missing",
    "ambiguous",
    "by_id",
    "learned",
    "chosen",
    "kind_unknown",
    "no_title",
    "nothing_found",
    "provider_failed",
    "no_episode",
    "episode_unknown",
    "special_number",
    "special_uncertain",
    "absolute_number",
    "numbers_by_catalog",
    "series_by_episodes",
    "numbers_ambiguous",
    "by_episode_title",
    "episode_title_elsewhere",
    "name_unsure",
    # A subtitle that arrived after its video.
    "follows_video",
    # Of music and photos, which are named by their tags.
    "tags",
    "tags_missing",
    "name_instead_of_tags",
    "by_fingerprint",
    "by_musicbrainz",
    "date_from_photo",
    "date_from_name",
    "date_from_file",
    "cover",
]

# The name or a user identified the entry; only the episode may be in doubt.
_CERTAIN: frozenset[Reason] = frozenset({"by_id", "learned", "chosen"})


class MatchOptions(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Settings of a job that override the global ones."""

    movie_provider: ProviderName | None = None
    series_provider: ProviderName | None = None
    order: Order | None = None


class Alternative(msgspec.Struct, frozen=True):
    candidate: Candidate
    score: float


class Match(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a file was matched to, and with which confidence."""

    best: Candidate | None = None
    episodes: tuple[Episode, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    confidence: float = 0.0
    reasons: tuple[Reason, ...] = ()
    overridden: bool = False
    # Why the provider failed.
    error: Problem | None = None

    def demoted_below(self, threshold: float) -> "Match":
        """Below `threshold`, turn the best candidate into the first alternative."""
        if (
            self.best is None
            or self.confidence >= threshold
            or not _CERTAIN.isdisjoint(self.reasons)
        ):
            return self
        first = Alternative(self.best, self.confidence)
        return Match(alternatives=(first, *self.alternatives), reasons=self.reasons)


class Override(msgspec.Struct, frozen=True, rename="camel"):
    """A match that a user chose for a title; `year` is 0 if the name has none."""

    kind: Kind
    title: str
    year: int
    provider: ProviderName
    external_id: str


class OverrideKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: Kind
    title: str
    year: Annotated[int, msgspec.Meta(ge=0, le=9999)] = 0
