"""What admins should know about a source though it is served: late runs, and changes."""

import logging
from typing import TYPE_CHECKING

from quartet.kernel.errors import Problem
from quartet.wind.ingest.types import SourceState
from quartet.wind.models.types import Model

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun

log = logging.getLogger("quartet.wind.ingest")


def is_late(model: Model, newest: "StoredRun | None", now: float) -> bool:
    """Whether a newer run should have been served more than one interval ago."""
    return newest is None or now - newest.run > model.longest


def note_lateness(state: SourceState, model: Model, newest: "StoredRun | None", now: float) -> None:
    """Log once that a model has become late; it is forgotten with the next run."""
    known = [each for each in state.warnings if each.code == "source_overdue"]
    if not is_late(model, newest, now):
        # The clock was ahead.
        state.warnings = [each for each in state.warnings if each not in known]
    elif newest is not None and not known:
        age = int(now - newest.run)
        state.warnings.append(Problem("source_overdue", {"source": model.id, "age": age}))
        log.warning("%s: late, the newest run is %d hours old", model.id, age // 3600)


def run_warnings(model: Model, before: "StoredRun | None", stored: "StoredRun") -> list[Problem]:
    """Return what is wrong with a run, and what has changed since the one before."""
    found = []
    header = stored.header
    if header.partial:
        missing = len(set(model.steps_of(stored.run)) - set(header.steps))
        found.append(Problem("run_partial", {"model": model.id, "missing": missing}))
    if before is not None and before.run < stored.run:
        was = before.header.cells, before.header.grid
        if was != (header.cells, header.grid):
            found.append(Problem("grid_changed", {"model": model.id, "points": header.points}))
        gone = [
            each
            for each in header.channels
            if before.has_values(each) and not stored.has_values(each)
        ]
        if gone:
            log.warning("%s: the newest run has no %s", model.id, ", ".join(gone))
            found.append(Problem("fields_gone", {"model": model.id}))
    return found
