import msgspec

from quartet.media.jobs.types import JobStatus


class HookJob(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a download client sends when it is done: as JSON, as a form, or in the query.

    An empty text counts as not given, and what the body says beats the query.
    """

    # As the client sees it.
    path: str
    # Id or name of a watch folder whose options are taken.
    watch_folder: int | str | None = None
    target: str | None = None
    # Nothing is done without being approved.
    review: bool = False
    threshold: float | None = None


class HookAnswer(msgspec.Struct, frozen=True, rename="camel"):
    job_id: int
    status: JobStatus
    url: str
