"""Converts disk errors to problems that the UI can show."""

import errno

from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.files import TEMPORARY_PREFIX
from quartet.kernel.files.errors import app_errors
from quartet.media.roots.path_encoding import encode_path


class SkipFile(Exception):
    """The file is skipped, without an error."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def problem_from(error: BaseException, path: str) -> Problem:
    if isinstance(error, OSError):
        error = _to_app_error(error, path.rpartition("/")[2])
    problem = error.problem if isinstance(error, SkipFile) else problem_of(error)
    return with_encoded_paths(_without_temporary_name(problem, path))


def _without_temporary_name(problem: Problem, path: str) -> Problem:
    """A copy has a temporary name until it is complete, which says nothing to a person."""
    named = problem.inputs.get("path")
    if not isinstance(named, str) or not named.rpartition("/")[2].startswith(TEMPORARY_PREFIX):
        return problem
    return Problem(problem.code, {**problem.inputs, "path": path.rpartition("/")[2]})


def with_encoded_paths(problem: Problem) -> Problem:
    """Encode the file names in a problem as text."""
    return Problem(problem.code, {name: _text(it) for name, it in problem.inputs.items()})


def _to_app_error(error: OSError, name: str) -> AppError:
    try:
        with app_errors((name,)):
            raise error
    except AppError as known:
        return known
    except OSError:
        fault = errno.errorcode.get(error.errno or 0, "")
        return AppError(500, "disk_failed", path=name, fault=fault)


def _text(value: object) -> object:
    return encode_path(value) if isinstance(value, str) else value
