"""Messages between control servers on the same database."""

from typing import Any

import msgspec

JSON_NULL = msgspec.Raw(b"null")


class StateUpdate(msgspec.Struct, frozen=True, tag="rows"):
    """Changed rows of a server by key; an empty message is a heartbeat."""

    server: str
    rows: dict[str, msgspec.Raw] = {}
    gone: list[str] = []
    # True if rows not listed here no longer exist.
    whole: bool = False


class StateRequest(msgspec.Struct, frozen=True, tag="who"):
    """Asks all servers for their complete rows."""

    server: str


class ServerLeft(msgspec.Struct, frozen=True, tag="left"):
    server: str


class CallRequest(msgspec.Struct, frozen=True, tag="asked"):
    server: str
    to: str
    number: int
    method: str
    inputs: list[msgspec.Raw]


class CallError(msgspec.Struct, frozen=True):
    status: int
    code: str
    inputs: dict[str, Any]


class CallResult(msgspec.Struct, frozen=True, tag="answered"):
    server: str
    to: str
    number: int
    result: msgspec.Raw = JSON_NULL
    refused: CallError | None = None


ClusterMessage = StateUpdate | StateRequest | ServerLeft | CallRequest | CallResult
