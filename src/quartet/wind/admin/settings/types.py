from typing import Any, Literal

import msgspec


class Limits(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`max_length` of a text in characters, of a list in entries."""

    min: int | None = None
    max: int | None = None
    max_length: int | None = None
    choices: list[str] | None = None


class Setting(msgspec.Struct, frozen=True, rename="camel"):
    """`changed_at` and `changed_by` (an account) are null while the default counts."""

    key: str
    type: Literal["choice", "number", "text", "places"]
    default: Any
    value: Any
    limits: Limits
    changed_at: int | None
    changed_by: int | None


class SettingList(msgspec.Struct, frozen=True):
    settings: list[Setting]


class NewValue(msgspec.Struct, frozen=True):
    value: Any
