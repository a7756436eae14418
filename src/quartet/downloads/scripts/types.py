from typing import Literal, NamedTuple

import msgspec

from quartet.kernel.errors import Problem


class FinishedPackage(msgspec.Struct, frozen=True, rename="camel"):
    """What a script reads about a package."""

    package_id: int
    name: str
    # Absolute paths, as the service sees them.
    folder: str
    files: list[str]
    # None if nothing was extracted.
    extract: Literal["done", "failed"] | None
    error: Problem | None
    source: str = "quartet"
    event: Literal["finished", "test"] = "finished"


class Script(msgspec.Struct, frozen=True):
    """The script of the operator, if there is one, and why its last run failed."""

    path: str | None
    error: Problem | None


class DueScript(NamedTuple):
    """A package for which the script has to be run; its folder and files are relative."""

    id: int
    package_id: int
    name: str
    target_dir: str
    files: list[str]
    extract: Literal["done", "failed"] | None = None
    error: Problem | None = None
