"""The error type and the error body of the API: a code with inputs, no prose."""

from typing import Any

import msgspec


class AppError(Exception):
    """An error that users may see.

    `code` is a message key of the UI; `inputs` fill its placeholders.
    """

    def __init__(self, status: int, code: str, /, **inputs: object) -> None:
        super().__init__(code, inputs)
        self.status = status
        self.code = code
        self.inputs = inputs

    def __str__(self) -> str:
        inputs = ", ".join(f"{name}={value}" for name, value in self.inputs.items())
        return f"{self.code} {{{inputs}}}" if inputs else self.code


class RedirectedElsewhere(AppError):
    """A redirect that leads to something else than a web server, such as a magnet link."""

    def __init__(self, location: str, /, **inputs: object) -> None:
        super().__init__(502, "bad_answer", **inputs)
        self.location = location

    @property
    def is_magnet(self) -> bool:
        return self.location[:7].lower() == "magnet:"


class OperatorError(Exception):
    """An error of a command that the operator can fix; the message is shown instead of a trace."""

    # Tells service managers whether to start the process again.
    may_pass = True


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """The body of every 4xx and 5xx response; also stored with failed items."""

    code: str
    inputs: dict[str, Any] = {}


def problem_of(error: BaseException) -> Problem:
    """Return the public part of an error; details of unexpected errors are only logged."""
    if isinstance(error, AppError):
        return Problem(error.code, error.inputs)
    return Problem("internal")
