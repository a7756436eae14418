from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quartet.kernel.errors import Problem
from quartet.kernel.events import Event
from quartet.media.catalog.types import Order, ProviderName
from quartet.media.jobs.types import JobConfig, JobFormats, JobTargets, TypedPath
from quartet.media.moves.types import OnConflict
from quartet.media.options.types import Language, Share

WatchName = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^\x00]*\S[^\x00]*$")]
# A network share tells nobody what changes on it, so somebody has to look.
WatchBy = Literal["auto", "events", "polling"]


class NewWatchFolder(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A folder where new files are put away on their own."""

    name: WatchName
    path: TypedPath
    enabled: bool = True
    targets: JobTargets = JobTargets()
    formats: JobFormats = JobFormats()
    movie_provider: ProviderName | None = None
    series_provider: ProviderName | None = None
    order: Order | None = None
    language: Language | None = None
    action: Literal["move", "copy", "hardlink", "reflink"] = "move"
    conflict_policy: OnConflict = "skip"
    # Nothing: everything waits for a person.
    auto_threshold: Share | None = 0.9
    # A file is finished when it did not change for so long.
    stable_seconds: Annotated[int, Meta(ge=1, le=3600)] = 30
    watch_by: WatchBy = "auto"

    @property
    def config(self) -> JobConfig:
        return JobConfig(
            formats=self.formats,
            targets=self.targets,
            action=self.action,
            conflict_policy=self.conflict_policy,
            movie_provider=self.movie_provider,
            series_provider=self.series_provider,
            order=self.order,
            language=self.language,
            threshold=self.auto_threshold,
            review=self.auto_threshold is None,
        )


class WatchFolder(NewWatchFolder, frozen=True, kw_only=True, rename="camel"):
    """Times in milliseconds since 1970."""

    id: int
    # Since when this path is watched.
    created_at: int
    last_event_at: int | None = None
    # Why nothing is found there at the moment.
    problem: Problem | None = None


class WatchDetected(Event, frozen=True, tag="watch.detected"):
    watch_folder_id: int
    path: str


class WatchFoldersChanged(Event, frozen=True, tag="watch.changed"):
    """The list of watch folders is another one now."""
