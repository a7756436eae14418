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


class Happened(msgspec.Struct, frozen=True):
    """Something to be written into the activity feed."""

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
