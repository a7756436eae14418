"""Jobs and items as the inside knows them: paths are those of the system, not yet text."""

from functools import cache
from typing import Any, Literal, NamedTuple, cast

import msgspec

from quartet.kernel.errors import Problem
from quartet.media.jobs.types import (
    Conflict,
    ItemState,
    Job,
    JobCompanion,
    JobConfig,
    JobItem,
    JobKind,
    JobProgress,
    JobStatus,
)
from quartet.media.match.types import Match
from quartet.media.names.types import Parsed
from quartet.media.roots.texts import path_text

Begin = Literal["scan", "match", "render"]


class JobRow(msgspec.Struct, kw_only=True):
    id: int = 0
    kind: JobKind
    status: JobStatus = "pending"
    watch_folder_id: int | None = None
    # Text, as they came.
    paths: list[str]
    config: JobConfig
    # Of a download client, beside the path; the config may be changed later.
    asked: str | None = None
    # Where its analysis begins the next time.
    begin: Begin = "scan"
    done: int = 0
    total: int = 0
    error: Problem | None = None
    created_at: int = 0
    finished_at: int | None = None

    @property
    def is_automatic(self) -> bool:
        return self.kind != "manual"

    def shown(self, counts: dict[ItemState, int]) -> Job:
        return Job(
            job_id=self.id,
            kind=self.kind,
            status=self.status,
            progress=JobProgress(self.done, self.total),
            items=counts,
            error=self.error,
            paths=self.paths,
            config=self.config,
            watch_folder_id=self.watch_folder_id,
            created_at=self.created_at,
            finished_at=self.finished_at,
        )


class ItemRow(msgspec.Struct, kw_only=True):
    id: int = 0
    job_id: int
    source: str
    is_folder: bool = False
    size: int
    mtime_ns: int
    companions: list[JobCompanion] = []
    parsed: Parsed | None = None
    match: Match | None = None
    confidence: float = 0.0
    target: str | None = None
    target_key: str | None = None
    override_target: str | None = None
    excluded: bool = False
    approved: bool = False
    chosen: bool = False
    state: ItemState = "parsed"
    reasons: list[str] = []
    conflict: Conflict | None = None
    error: Problem | None = None

    @property
    def name(self) -> str:
        return self.source.rpartition("/")[2]

    @property
    def folder(self) -> str:
        return self.source.rpartition("/")[0]

    def shown(self) -> JobItem:
        return JobItem(
            id=self.id,
            job_id=self.job_id,
            path=path_text(self.source),
            size=self.size,
            parsed=self.parsed,
            match=self.match,
            confidence=self.confidence,
            target=path_text(self.target) if self.target else None,
            override_target=path_text(self.override_target) if self.override_target else None,
            excluded=self.excluded,
            approved=self.approved,
            state=self.state,
            reasons=self.reasons,
            companions=self.companions,
            conflict=self.conflict,
            error=self.error,
        )


def listed(values: dict[str, Any]) -> JobItem:
    """As it is shown, from what the database keeps.

    Lists have thousands: what is JSON already goes out as it is instead of being decoded.
    """
    return JobItem(
        id=values["id"],
        job_id=values["job_id"],
        path=path_text(values["source"]),
        size=values["size"],
        parsed=cast(Parsed | None, _raw(values["parsed"])),
        match=cast(Match | None, _raw(values["match"])),
        confidence=values["confidence"],
        target=path_text(values["target"]) if values["target"] else None,
        override_target=path_text(values["override_target"]) if values["override_target"] else None,
        excluded=values["excluded"],
        approved=values["approved"],
        state=values["state"],
        reasons=values["reasons"],
        companions=cast(list[JobCompanion], _raw(values["companions"])),
        conflict=values["conflict"],
        error=values["error"] and msgspec.convert(values["error"], Problem),
    )


def _raw(text: str | None) -> msgspec.Raw | None:
    return None if text is None else msgspec.Raw(text)


class News(NamedTuple):
    """What others may want to know about a job: it did something, or it needs a person."""

    occasion: Literal["done", "failed", "inbox"]
    job: JobRow
    done: int = 0
    failed: int = 0
    waiting: int = 0
    # From where to where, the first ones.
    files: tuple[tuple[str, str], ...] = ()


Encoded = Literal["paths", "config", "companions", "parsed", "match"]
_TYPES: dict[Encoded, Any] = {
    "paths": list[str],
    "config": JobConfig,
    "companions": list[JobCompanion],
    "parsed": Parsed,
    "match": Match,
}


@cache
def _decoder(name: Encoded) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(_TYPES[name])


def encoded(values: dict[str, Any]) -> dict[str, Any]:
    """For the database: what has a type of its own becomes text."""
    for name in _TYPES:
        if values.get(name) is not None:
            values[name] = msgspec.json.encode(values[name]).decode()
    return values


def decoded(values: dict[str, Any]) -> dict[str, Any]:
    for name in _TYPES:
        if values.get(name) is not None:
            values[name] = _decoder(name).decode(values[name])
    if values["error"] is not None:
        values["error"] = msgspec.convert(values["error"], Problem)
    return values
