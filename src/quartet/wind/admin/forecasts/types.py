import msgspec

from quartet.kernel.errors import Problem


class AdminRun(msgspec.Struct, frozen=True):
    """A whole run on the disk; `age` are seconds since the time it is for."""

    run: int
    steps: int
    bytes: int
    written: int
    age: int


class AdminIncoming(msgspec.Struct, frozen=True):
    """A run on its way: `done` of `steps`."""

    run: int
    steps: int
    done: int


class AdminModel(msgspec.Struct, frozen=True, rename="camel"):
    """`due` is the newest run there can be; `overdue` when what is served is too old."""

    id: str
    name: str
    provider: str
    runs: list[AdminRun]
    incoming: AdminIncoming | None
    due: int
    age: int | None
    overdue: bool
    last_try: float | None
    last_success: float | None
    error: Problem | None
    task: str


class AdminForecasts(msgspec.Struct, frozen=True, rename="camel"):
    """`postponed_until` in Unix seconds; null when runs are fetched as they appear."""

    models: list[AdminModel]
    postponed_until: int | None


class LookNow(msgspec.Struct, frozen=True, omit_defaults=True):
    """At one model, or at all."""

    model: str | None = None
