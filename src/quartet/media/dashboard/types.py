import msgspec

from quartet.media.history.types import HistoryEntry, HistoryTitle
from quartet.media.jobs.types import ItemState, Job, JobStatus


class LatestTitle(msgspec.Struct, frozen=True):
    title: HistoryTitle
    files: int


class Dashboard(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    jobs: dict[JobStatus, int]
    items: dict[ItemState, int]
    # Queued or running, oldest first.
    running: list[Job]
    inbox: int
    watch_folders: int
    # Watch folders that cannot be read at the moment.
    watch_problems: int
    folders: int
    # Whether there is a library for movies and one for series.
    movie_library: bool
    series_library: bool
    # The latest history entries, newest first.
    recent: list[HistoryEntry]
    # The titles of the latest files, newest first.
    titles: list[LatestTitle]
