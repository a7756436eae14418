"""One kind of error and one body for it: a code with its inputs, never prose."""

from typing import Any

import msgspec


class AppError(Exception):
    """An error a person may see. `code` is a message key of the UI, `inputs` fill its blanks."""

    def __init__(self, status: int, code: str, /, **inputs: object) -> None:
        super().__init__(code, inputs)
        self.status = status
        self.code = code
        self.inputs = inputs

    def __str__(self) -> str:
        inputs = ", ".join(f"{name}={value}" for name, value in self.inputs.items())
        return f"{self.code} {{{inputs}}}" if inputs else self.code


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """The body of every 4xx and 5xx answer, and an error kept for later."""

    code: str
    inputs: dict[str, Any] = {}


def problem_of(error: BaseException) -> Problem:
    """What may be shown of an error; the inside of an unexpected one stays in the log."""
    if isinstance(error, AppError):
        return Problem(error.code, error.inputs)
    return Problem("internal")
