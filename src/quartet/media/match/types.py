from typing import Annotated, Literal

import msgspec

from quartet.kernel.errors import Problem
from quartet.media.catalog.types import Candidate, Episode, Kind, Order, ProviderName

# Why a match is as sure as it is; each is a text of the UI.
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
    "absolute_number",
    "name_unsure",
]

# A name or a person said which entry it is; only the episode may be in doubt.
_SAID: frozenset[Reason] = frozenset({"by_id", "learned", "chosen"})


class MatchOptions(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a job wants otherwise than the settings say."""

    movie_provider: ProviderName | None = None
    series_provider: ProviderName | None = None
    order: Order | None = None


class Alternative(msgspec.Struct, frozen=True):
    candidate: Candidate
    score: float


class Match(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a file was found to be, and how sure that is."""

    best: Candidate | None = None
    episodes: tuple[Episode, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    confidence: float = 0.0
    reasons: tuple[Reason, ...] = ()
    overridden: bool = False
    # The provider's failure: nothing was guessed instead.
    error: Problem | None = None

    def suggested_from(self, least: float) -> "Match":
        """Less sure than `least`, what was searched for is only the first of the alternatives."""
        if self.best is None or self.confidence >= least or not _SAID.isdisjoint(self.reasons):
            return self
        first = Alternative(self.best, self.confidence)
        return Match(alternatives=(first, *self.alternatives), reasons=self.reasons)


class Override(msgspec.Struct, frozen=True, rename="camel"):
    """What a person said a title is; `year` 0 stands for names without one."""

    kind: Kind
    title: str
    year: int
    provider: ProviderName
    external_id: str


class OverrideKey(msgspec.Struct, frozen=True):
    kind: Kind
    title: str
    year: Annotated[int, msgspec.Meta(ge=0, le=9999)] = 0
