"""Logs what happens to each file of a plan."""

import logging

from quartet.kernel.log import problem_text
from quartet.media.moves.file_moves import FileMove
from quartet.media.roots.path_encoding import encode_path

log = logging.getLogger("quartet.media.moves")


def log_plan(job_id: int | None, move: FileMove) -> None:
    if log.isEnabledFor(logging.DEBUG):
        log.debug(
            "job %s item %s: %s of %s to %s planned",
            job_id,
            move.step.item_id,
            move.action,
            encode_path(move.source.path),
            encode_path(move.operation.target if move.operation else move.target.path),
        )


def log_outcome(job_id: int | None, move: FileMove) -> None:
    """Log NFO files and pictures only as steps, because the job logs how many were written."""
    if move.outcome is None:
        return
    problem = move.outcome.problem
    level = logging.DEBUG if move.role == "artwork" and not problem else logging.INFO
    if log.isEnabledFor(level):
        log.log(
            level,
            "job %s item %s: %s of %s to %s %s%s",
            job_id,
            move.step.item_id,
            move.action,
            encode_path(move.source.path),
            encode_path(move.outcome.target),
            move.outcome.state,
            f": {problem_text(problem)}" if problem else "",
        )
