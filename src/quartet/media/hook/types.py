import msgspec

from quartet.media.jobs.types import JobStatus


class HookJob(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A download client's request, sent as JSON, as a form or in the query.

    Empty values count as missing, and the body takes precedence over the query.
    """

    # As the client sees it.
    path: str
    # Id or name of a watch folder whose settings are used.
    watch_folder: int | str | None = None
    target: str | None = None
    # Nothing is executed without approval.
    review: bool = False
    threshold: float | None = None


class HookAnswer(msgspec.Struct, frozen=True, rename="camel"):
    job_id: int
    status: JobStatus
    url: str
