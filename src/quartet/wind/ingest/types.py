from dataclasses import dataclass
from pathlib import Path

import msgspec

from quartet.kernel.errors import Problem
from quartet.wind.grid.layout import Header
from quartet.wind.models.types import Fetched


class Incoming(msgspec.Struct):
    """A run that is being fetched; it is served when all of its steps are there."""

    run: int
    steps: int
    done: int = 0


class SourceState(msgspec.Struct):
    """How fetching a model goes, in Unix seconds; `error` is of the last try."""

    model: str
    last_try: float | None = None
    last_success: float | None = None
    error: Problem | None = None
    incoming: Incoming | None = None


@dataclass(frozen=True)
class StoreJob:
    """Steps of a run that go into its unfinished folder; `table` for cells without order."""

    fetched: Fetched
    folder: Path
    header: Header
    steps: tuple[int, ...]
    table: Path | None
