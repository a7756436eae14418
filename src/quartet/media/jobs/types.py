"""Jobs and their items, what is asked of them, and the events they cause."""

from typing import Annotated, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from quartet.kernel.errors import Problem
from quartet.kernel.events import Event
from quartet.media.catalog.types import Kind, Order, ProviderName
from quartet.media.ids import Id
from quartet.media.match.types import Match, MatchOptions
from quartet.media.moves.types import OnConflict
from quartet.media.names.types import Parsed
from quartet.media.options.types import Language, Share
from quartet.media.rules.types import Rules

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
# While a job is one of these it cannot be changed.
BUSY: tuple[JobStatus, ...] = ("pending", "scanning", "matching", "queued", "executing")
Mode = Literal["media", "rules", "both"]
JobAction = Literal["test", "move", "copy", "hardlink", "reflink"]
Conflict = Literal["duplicate", "exists"]

MOST_PATHS = 100
MOST_ITEMS = 5000

TypedPath = Annotated[str, Meta(min_length=1, max_length=4096, pattern=r"^[^\x00]*$")]
Paths = Annotated[list[TypedPath], Meta(min_length=1, max_length=MOST_PATHS)]
# PostgreSQL takes no text with a zero in it.
FormatId = Annotated[str, Meta(max_length=100, pattern=r"^[^\x00]*$")]
JobTemplate = Annotated[str, Meta(min_length=1, max_length=2000)]


class JobFormats(msgspec.Struct, frozen=True):
    """Ids of formats; those of the settings where none is given."""

    movie: FormatId | None = None
    series: FormatId | None = None


class JobTemplates(msgspec.Struct, frozen=True):
    """Templates for this job alone; they beat its formats."""

    movie: JobTemplate | None = None
    series: JobTemplate | None = None


class JobTargets(msgspec.Struct, frozen=True):
    """Folders for each kind; the default libraries where none is given."""

    movie: TypedPath | None = None
    series: TypedPath | None = None
    # For what no catalog knows, once a person has named it.
    other: TypedPath | None = None

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(path for path in (self.movie, self.series, self.other) if path is not None)


class JobConfig(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a job shall do."""

    mode: Mode = "media"
    rules: Rules = []
    # A saved set, instead of `rules`.
    rule_set: Id | None = None
    formats: JobFormats = JobFormats()
    templates: JobTemplates = JobTemplates()
    action: JobAction = "test"
    conflict_policy: OnConflict = "skip"
    # One folder for everything; beats `targets`.
    target: TypedPath | None = None
    targets: JobTargets = JobTargets()
    # Only the name of a file changes, not its folder.
    in_place: bool = False
    language: Language | None = None
    order: Order | None = None
    movie_provider: ProviderName | None = None
    series_provider: ProviderName | None = None
    # At least as sure as this, an item is ready; that of the settings where none is given.
    threshold: Share | None = None
    # Nothing is done without being approved.
    review: bool = False
    recursive: bool = True
    # With rules: folders below the given ones are renamed too.
    folders: bool = False

    @property
    def finding(self) -> tuple[bool, bool, bool]:
        """What decides which files are found."""
        return self.mode == "rules", self.recursive, self.folders

    @property
    def matching(self) -> tuple[MatchOptions, str | None]:
        """What decides which catalog entry a file is."""
        options = MatchOptions(
            movie_provider=self.movie_provider,
            series_provider=self.series_provider,
            order=self.order,
        )
        return options, self.language

    @property
    def sureness(self) -> tuple[float | None, bool]:
        """What decides how sure a match must be to be suggested."""
        return self.threshold, self.review


class NewJob(JobConfig, frozen=True, kw_only=True, rename="camel"):
    """Files or folders, inside the configured folders."""

    paths: Paths


class NewPreview(JobConfig, frozen=True, kw_only=True, rename="camel"):
    """The whole of what the job shall do from now on; `rematch` asks the catalogs again."""

    rematch: bool = False


class JobProgress(msgspec.Struct, frozen=True):
    done: int
    total: int


class Job(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Times in milliseconds since 1970."""

    job_id: int
    kind: JobKind
    status: JobStatus
    progress: JobProgress
    # How many there are of each state.
    items: dict[ItemState, int]
    error: Problem | None
    paths: list[str]
    config: JobConfig
    watch_folder_id: int | None
    created_at: int
    finished_at: int | None


class JobPage(msgspec.Struct, frozen=True):
    """Newest first; `cursor` asks for what is older."""

    jobs: list[Job]
    cursor: int | None


class JobCompanion(msgspec.Struct, frozen=True):
    """A subtitle or another file that goes along."""

    source: str
    # What follows the new stem of the video.
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
    # Where it shall go, or went; nothing while that is not known.
    target: str | None
    # Given by hand: wins over what the template makes.
    override_target: str | None
    excluded: bool
    approved: bool
    state: ItemState
    # Why it is as sure as it is, or is not ready; each is a text of the UI.
    reasons: list[str]
    companions: list[JobCompanion]
    conflict: Conflict | None
    error: Problem | None


class ItemPage(msgspec.Struct, frozen=True):
    """In the order they were found; `cursor` asks for what follows."""

    items: list[JobItem]
    cursor: int | None


class ChosenMatch(msgspec.Struct, frozen=True):
    provider: ProviderName
    id: Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]
    kind: Kind


class ItemsChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is left out stays as it is."""

    item_ids: Annotated[list[Id], Meta(min_length=1, max_length=MOST_ITEMS)]
    match: ChosenMatch | UnsetType = UNSET
    # From now on this title is always that match.
    remember: bool = False
    # For one item only: absolute, or below the folder it would go to; `null` takes it back.
    target_path: TypedPath | UnsetType | None = UNSET
    excluded: bool | UnsetType = UNSET
    approved: bool | UnsetType = UNSET


class Execution(msgspec.Struct, frozen=True, rename="camel"):
    """Without ids everything that is ready is done."""

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
