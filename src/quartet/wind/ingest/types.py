from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from quartet.kernel.errors import Problem
from quartet.wind.grid.layout import Header
from quartet.wind.models.types import Fetched


class Incoming(msgspec.Struct):
    """A run that is being fetched; it is served once its last step has arrived."""

    run: int
    steps: int
    done: int = 0


class SourceState(msgspec.Struct):
    """How fetching a model is going, in Unix seconds.

    `error` is of the last attempt. `warnings` are things that do not stop a run: a model that is
    late, a server that refuses, a grid that has changed, a run with missing steps.
    """

    model: str
    last_try: float | None = None
    last_success: float | None = None
    error: Problem | None = None
    incoming: Incoming | None = None
    warnings: list[Problem] = msgspec.field(default_factory=list)


class FieldSummary(msgspec.Struct, frozen=True):
    """The wind or the waves of one step; `highest` in metres per second or metres.

    `extras` are the other channels that its files have.
    """

    points: int
    missing: int
    highest: float
    unit: Literal["m/s", "m"] = "m/s"
    extras: tuple[str, ...] = ()


@dataclass(frozen=True)
class StoreJob:
    """Files whose steps, as far as they are in `steps`, are stored in an unfinished run."""

    fetched: Fetched
    folder: Path
    header: Header
    steps: tuple[int, ...]
    # Bad files of gusts and weather are left out, instead of being fetched again.
    lenient: bool = False
