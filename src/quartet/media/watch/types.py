from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quartet.kernel.errors import Problem
from quartet.kernel.events import Event
from quartet.media.jobs.types import JobConfig, JobFormats, JobTargets, TypedPath
from quartet.media.moves.types import OnConflict
from quartet.media.options.types import Language, Share
from quartet.media.types import Order, ProviderName

WatchName = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^\x00]*\S[^\x00]*$")]
# A network share sends no events, so it must be polled.
WatchBy = Literal["auto", "events", "polling"]


class NewWatchFolder(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A folder whose new files become jobs."""

    name: WatchName
    path: TypedPath
    enabled: bool = True
    # Which files are handled: videos, or music or photos, which are named by their tags.
    mode: Literal["media", "music", "photos"] = "media"
    targets: JobTargets = JobTargets()
    formats: JobFormats = JobFormats()
    movie_provider: ProviderName | None = None
    series_provider: ProviderName | None = None
    order: Order | None = None
    language: Language | None = None
    action: Literal["move", "copy", "hardlink", "reflink"] = "move"
    conflict_policy: OnConflict = "skip"
    # With null, everything needs review.
    auto_threshold: Share | None = 0.9
    # A file is complete if it has not changed for this long.
    stable_seconds: Annotated[int, Meta(ge=1, le=3600)] = 30
    watch_by: WatchBy = "auto"
    # Also handle files that were in the folder before it was watched.
    existing: bool = False

    @property
    def config(self) -> JobConfig:
        return JobConfig(
            mode=self.mode,
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
    """Times are in milliseconds since 1970."""

    id: int
    # Since when this path is watched.
    created_at: int
    last_event_at: int | None = None
    # Why the folder cannot be read at the moment.
    problem: Problem | None = None


class WatchDetected(Event, frozen=True, tag="watch.detected"):
    watch_folder_id: int
    path: str


class WatchFoldersChanged(Event, frozen=True, tag="watch.changed"):
    """The watch folders have changed."""
