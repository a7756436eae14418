"""What control servers on one database say to each other."""

from typing import Any

import msgspec

NOTHING = msgspec.Raw(b"null")


class Rows(msgspec.Struct, frozen=True, tag="rows"):
    """What became different at a server, by key; without any it is a sign of life."""

    server: str
    rows: dict[str, msgspec.Raw] = {}
    gone: list[str] = []
    # What is not among the rows is gone as well.
    whole: bool = False


class Who(msgspec.Struct, frozen=True, tag="who"):
    """Everybody shall tell all their rows."""

    server: str


class Left(msgspec.Struct, frozen=True, tag="left"):
    server: str


class Asked(msgspec.Struct, frozen=True, tag="asked"):
    server: str
    to: str
    number: int
    method: str
    inputs: list[msgspec.Raw]


class Refused(msgspec.Struct, frozen=True):
    status: int
    code: str
    inputs: dict[str, Any]


class Answered(msgspec.Struct, frozen=True, tag="answered"):
    server: str
    to: str
    number: int
    result: msgspec.Raw = NOTHING
    refused: Refused | None = None


Message = Rows | Who | Left | Asked | Answered
