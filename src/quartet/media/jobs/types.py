"""Jobs and their items, the requests for them and their events."""

from typing import Annotated, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from quartet.kernel.errors import Problem
from quartet.kernel.events import Event
from quartet.media.match.types import Match, MatchOptions
from quartet.media.moves.types import Cleaned, OnConflict
from quartet.media.names.types import Parsed
from quartet.media.options.types import ExtrasPolicy, JunkPolicy, Language, Share
from quartet.media.rules.types import Rules
from quartet.media.types import Id, Kind, Order, ProviderName, TaggedKind

JobKind = Literal["manual", "watch", "hook"]
JobStatus = Literal[
    "pending",
    "scanning",
    "matching",
    "ready",
    "queued",
    "executing",
    "done",
    "failed",
    "cancelled",
    "undone",
]
ItemState = Literal[
    "parsed", "matched", "needs_review", "ready", "done", "skipped", "failed", "undone"
]
ITEM_STATES: tuple[ItemState, ...] = get_args(ItemState)
# A job with one of these statuses cannot be changed.
BUSY: tuple[JobStatus, ...] = ("pending", "scanning", "matching", "queued", "executing")
# Music and photos are named by their tags.
Mode = Literal["media", "rules", "both", "music", "photos"]
JobAction = Literal["test", "move", "copy", "hardlink", "reflink"]
Conflict = Literal["duplicate", "exists"]

MOST_PATHS = 100
MOST_ITEMS = 5000

TypedPath = Annotated[str, Meta(min_length=1, max_length=4096, pattern=r"^[^\x00]*$")]
Paths = Annotated[list[TypedPath], Meta(min_length=1, max_length=MOST_PATHS)]
# PostgreSQL does not accept NUL characters in text.
FormatId = Annotated[str, Meta(max_length=100, pattern=r"^[^\x00]*$")]
JobTemplate = Annotated[str, Meta(min_length=1, max_length=2000)]


class JobFormats(msgspec.Struct, frozen=True):
    """Ids of name formats; by default those from the settings."""

    movie: FormatId | None = None
    series: FormatId | None = None
    music: FormatId | None = None
    photos: FormatId | None = None

    @property
    def given(self) -> tuple[str, ...]:
        found = (self.movie, self.series, self.music, self.photos)
        return tuple(id for id in found if id is not None)


class JobTemplates(msgspec.Struct, frozen=True):
    """Templates for this job only; they take precedence over its name formats."""

    movie: JobTemplate | None = None
    series: JobTemplate | None = None
    music: JobTemplate | None = None
    photos: JobTemplate | None = None

    @property
    def given(self) -> tuple[str, ...]:
        found = (self.movie, self.series, self.music, self.photos)
        return tuple(template for template in found if template is not None)


class JobTargets(msgspec.Struct, frozen=True):
    """Target folder per kind; by default the default libraries."""

    movie: TypedPath | None = None
    series: TypedPath | None = None
    music: TypedPath | None = None
    photos: TypedPath | None = None
    # For files without a catalog entry, once a user has named them.
    other: TypedPath | None = None

    @property
    def given(self) -> tuple[str, ...]:
        found = (self.movie, self.series, self.music, self.photos, self.other)
        return tuple(path for path in found if path is not None)


class JobConfig(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a job does."""

    mode: Mode = "media"
    rules: Rules = []
    # Id of a saved rule set, used instead of `rules`.
    rule_set: Id | None = None
    formats: JobFormats = JobFormats()
    templates: JobTemplates = JobTemplates()
    action: JobAction = "test"
    conflict_policy: OnConflict = "skip"
    # One folder for everything; takes precedence over `targets`.
    target: TypedPath | None = None
    targets: JobTargets = JobTargets()
    # Change only the file's name, not its folder.
    in_place: bool = False
    language: Language | None = None
    order: Order | None = None
    movie_provider: ProviderName | None = None
    series_provider: ProviderName | None = None
    # Items with at least this confidence are ready; by default the value from the settings.
    threshold: Share | None = None
    # Nothing is executed without approval.
    review: bool = False
    recursive: bool = True
    # What to do with trailers and the like; by default the value from the settings.
    extras: ExtrasPolicy | None = None
    # Whether junk of releases is removed; by default the value from the settings.
    junk: JunkPolicy | None = None
    # With rules: also rename folders below the given ones.
    folders: bool = False

    @property
    def finding(self) -> tuple[str, bool, bool, bool]:
        """The settings that decide which files are found."""
        files = "media" if self.mode == "both" else self.mode
        return files, self.recursive, self.folders, self.extras == "skip"

    @property
    def tagged(self) -> TaggedKind | None:
        """The kind of files that are named by their tags, if they are."""
        return self.mode if self.mode in ("music", "photos") else None

    @property
    def matching(self) -> tuple[MatchOptions, str | None]:
        """The settings that decide which catalog entry a file gets."""
        options = MatchOptions(
            movie_provider=self.movie_provider,
            series_provider=self.series_provider,
            order=self.order,
        )
        return options, self.language

    @property
    def confidence_settings(self) -> tuple[float | None, bool]:
        """The settings that decide whether a match is suggested."""
        return self.threshold, self.review


class NewJob(JobConfig, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A new job for files or folders inside the configured folders."""

    paths: Paths


class NewPreview(JobConfig, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The complete new configuration of the job; `rematch` searches the catalogs again."""

    rematch: bool = False


class JobProgress(msgspec.Struct, frozen=True):
    done: int
    total: int


class Job(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Times are in milliseconds since 1970."""

    job_id: int
    kind: JobKind
    status: JobStatus
    progress: JobProgress
    # Number of items per state.
    items: dict[ItemState, int]
    error: Problem | None
    paths: list[str]
    config: JobConfig
    watch_folder_id: int | None
    created_at: int
    finished_at: int | None
    # A catalog did not answer: how many times it was asked again, and when it is asked next.
    retries: int = 0
    retry_at: int | None = None
    # What the moves left behind in the source folders.
    cleaned: Cleaned = Cleaned()


class JobPage(msgspec.Struct, frozen=True):
    """Newest first; `cursor` requests the next, older page."""

    jobs: list[Job]
    cursor: int | None


class JobCompanion(msgspec.Struct, frozen=True):
    """A subtitle or another file that moves with its video."""

    source: str
    # What follows the video's new stem.
    tail: str


class JobItem(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One file or folder of a job."""

    id: int
    job_id: int
    path: str
    size: int
    parsed: Parsed | None
    match: Match | None
    confidence: float
    # Where it will be moved or was moved; null if not known yet.
    target: str | None
    # Set by a user; takes precedence over the template.
    override_target: str | None
    excluded: bool
    approved: bool
    state: ItemState
    # Reasons for the confidence and the state; each has a text in the UI.
    reasons: list[str]
    companions: list[JobCompanion]
    conflict: Conflict | None
    error: Problem | None


class ItemPage(msgspec.Struct, frozen=True):
    """In the order in which they were found; `cursor` requests the next page."""

    items: list[JobItem]
    cursor: int | None


class ChosenMatch(msgspec.Struct, frozen=True):
    provider: ProviderName
    id: Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]
    kind: Kind


EpisodeNumber = Annotated[int, Meta(ge=0, le=99_999)]


class NewNumbers(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """Corrects the numbers that were read from the names; omitted fields stay unchanged."""

    kind: Literal["movie", "episode"] | UnsetType = UNSET
    # Without a season, the episodes are in absolute numbering.
    season: Annotated[int, Meta(ge=0, le=9999)] | UnsetType | None = UNSET
    episodes: Annotated[list[EpisodeNumber], Meta(min_length=1, max_length=100)] | UnsetType = UNSET
    # Numbers the items one after the other, in the order of their ids in the request.
    first_episode: EpisodeNumber | UnsetType = UNSET
    # Is added to every episode number.
    shift: Annotated[int, Meta(ge=-99_999, le=99_999)] = 0
    # The part of a movie that comes in several files.
    part: Annotated[int, Meta(ge=1, le=99)] | UnsetType | None = UNSET


class ItemsChange(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """Omitted fields stay unchanged."""

    item_ids: Annotated[list[Id], Meta(min_length=1, max_length=MOST_ITEMS)]
    match: ChosenMatch | UnsetType = UNSET
    numbers: NewNumbers | UnsetType = UNSET
    # Always use this match for this title from now on.
    remember: bool = False
    # For a single item: absolute, or relative to its target folder; `null` removes it.
    target_path: TypedPath | UnsetType | None = UNSET
    excluded: bool | UnsetType = UNSET
    approved: bool | UnsetType = UNSET


class Execution(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Without ids, all ready items are executed."""

    item_ids: Annotated[list[Id], Meta(min_length=1, max_length=100_000)] | None = None


class JobChanged(Event, frozen=True, tag="job.progress"):
    job_id: int
    status: JobStatus
    done: int
    total: int


class ItemsChanged(Event, frozen=True, tag="item.updated"):
    job_id: int
    item_ids: list[int]


class InboxAdded(Event, frozen=True, tag="inbox.added"):
    item_ids: list[int]


class JobRemoved(Event, frozen=True, tag="job.removed"):
    job_id: int
