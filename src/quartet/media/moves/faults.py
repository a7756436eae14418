"""Faults of the disk as problems a person can be told."""

import errno

from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.files.errors import app_errors
from quartet.media.roots.texts import path_text


class Skip(Exception):
    """Nothing went wrong, and nothing is done either."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def problem_from(error: BaseException, path: str) -> Problem:
    if isinstance(error, OSError):
        error = _translated(error, path.rpartition("/")[2])
    problem = error.problem if isinstance(error, Skip) else problem_of(error)
    return told(problem)


def told(problem: Problem) -> Problem:
    """Names of files are put into problems as they are on the disk, and told as text."""
    return Problem(problem.code, {name: _text(it) for name, it in problem.inputs.items()})


def _translated(error: OSError, name: str) -> AppError:
    try:
        with app_errors((name,)):
            raise error
    except AppError as known:
        return known
    except OSError:
        fault = errno.errorcode.get(error.errno or 0, "")
        return AppError(500, "disk_failed", path=name, fault=fault)


def _text(value: object) -> object:
    return path_text(value) if isinstance(value, str) else value
