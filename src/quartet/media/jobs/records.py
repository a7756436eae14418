"""Jobs and items as used internally, with system paths instead of encoded text."""

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
from quartet.media.moves.types import Cleaned
from quartet.media.names.types import Parsed
from quartet.media.roots.path_encoding import encode_path

# "retry" matches only the files for which a catalog did not answer.
Begin = Literal["scan", "match", "retry", "render"]


class JobRecord(msgspec.Struct, kw_only=True):
    id: int = 0
    kind: JobKind
    status: JobStatus = "pending"
    watch_folder_id: int | None = None
    # Encoded text, as received.
    paths: list[str]
    config: JobConfig
    # The download client's call without its path. The config may change later, this does not.
    asked: str | None = None
    # The stage at which the next preview starts.
    begin: Begin = "scan"
    done: int = 0
    total: int = 0
    error: Problem | None = None
    created_at: int = 0
    finished_at: int | None = None
    retries: int = 0
    retry_at: int | None = None
    cleaned: Cleaned | None = None

    @property
    def is_automatic(self) -> bool:
        return self.kind != "manual"

    def to_api(self, counts: dict[ItemState, int]) -> Job:
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
            retries=self.retries,
            retry_at=self.retry_at,
            cleaned=self.cleaned or Cleaned(),
        )


class ItemRecord(msgspec.Struct, kw_only=True):
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

    def to_api(self) -> JobItem:
        return JobItem(
            id=self.id,
            job_id=self.job_id,
            path=encode_path(self.source),
            size=self.size,
            parsed=self.parsed,
            match=self.match,
            confidence=self.confidence,
            target=encode_path(self.target) if self.target else None,
            override_target=encode_path(self.override_target) if self.override_target else None,
            excluded=self.excluded,
            approved=self.approved,
            state=self.state,
            reasons=self.reasons,
            companions=self.companions,
            conflict=self.conflict,
            error=self.error,
        )


def item_from_columns(values: dict[str, Any]) -> JobItem:
    """Build the API struct directly from the columns.

    Lists have thousands of items, so stored JSON is passed through without decoding.
    """
    return JobItem(
        id=values["id"],
        job_id=values["job_id"],
        path=encode_path(values["source"]),
        size=values["size"],
        parsed=cast(Parsed | None, _raw(values["parsed"])),
        match=cast(Match | None, _raw(values["match"])),
        confidence=values["confidence"],
        target=encode_path(values["target"]) if values["target"] else None,
        override_target=encode_path(values["override_target"])
        if values["override_target"]
        else None,
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


class JobResult(NamedTuple):
    """What a job tells its listeners: files were handled, it failed, or items need review."""

    occasion: Literal["done", "failed", "inbox"]
    job: JobRecord
    done: int = 0
    failed: int = 0
    waiting: int = 0
    # Source and target of the first files.
    files: tuple[tuple[str, str], ...] = ()
    # Those that were handled or failed.
    items: tuple[ItemRecord, ...] = ()


EncodedColumn = Literal["paths", "config", "cleaned", "companions", "parsed", "match"]
_TYPES: dict[EncodedColumn, Any] = {
    "paths": list[str],
    "config": JobConfig,
    "cleaned": Cleaned,
    "companions": list[JobCompanion],
    "parsed": Parsed,
    "match": Match,
}


@cache
def _decoder(name: EncodedColumn) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(_TYPES[name])


def encode_columns(values: dict[str, Any]) -> dict[str, Any]:
    """Encode typed values as JSON text for the database."""
    for name in _TYPES:
        if values.get(name) is not None:
            values[name] = msgspec.json.encode(values[name]).decode()
    return values


def decode_columns(values: dict[str, Any]) -> dict[str, Any]:
    for name in _TYPES:
        if values.get(name) is not None:
            values[name] = _decoder(name).decode(values[name])
    if values["error"] is not None:
        values["error"] = msgspec.convert(values["error"], Problem)
    return values
