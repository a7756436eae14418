from typing import Literal, NamedTuple

import msgspec

from quartet.kernel.errors import Problem

Kind = Literal["backup", "disk", "hub", "source", "task"]


class Finding(NamedTuple):
    """What a check found; `name` tells findings of the same kind apart."""

    kind: Kind
    name: str
    problem: Problem


class Condition(msgspec.Struct, frozen=True):
    """A problem that has lasted for two checks; `since` is in Unix seconds."""

    kind: Kind
    name: str
    problem: Problem
    since: int
