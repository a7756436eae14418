from typing import Any, Literal

import msgspec

Kind = Literal[
    "changed",
    "paired",
    "connected",
    "disconnected",
    "conflict",
    "resolved",
    "restored",
    "config",
    "error",
]


class ActivityRecord(msgspec.Struct, frozen=True):
    """An event that is not stored in the activity feed yet."""

    at: int
    kind: Kind
    code: str
    inputs: dict[str, Any] = {}
    device_id: int | None = None
    folder_id: int | None = None


class ActivityEvent(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    at: int
    device_id: int | None
    folder_id: int | None
    kind: Kind
    code: str
    inputs: dict[str, Any]
