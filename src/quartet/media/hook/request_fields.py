"""Parses a download client's request and reports which field is invalid."""

import math
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from quartet.kernel.errors import AppError
from quartet.media.hook.types import HookJob
from quartet.media.roots.path_encoding import encode_path
from quartet.media.types import LARGEST_ID

Fields = dict[str, Any]

LONGEST = 4096
_MOST_FIELDS = 100
_YES, _NO = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


def from_json(body: bytes) -> Fields:
    try:
        found = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise AppError(400, "bad_json") from None
    if not isinstance(found, dict):
        raise AppError(400, "not_an_object")
    return found


def from_form(body: bytes) -> Fields:
    """Parse a form or query; bytes that are not text are encoded, because file names may contain
    them.
    """
    text = body.decode("utf-8", "surrogateescape")
    try:
        pairs = parse_qsl(text, errors="surrogateescape", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise AppError(400, "bad_form") from None
    return {encode_path(name): encode_path(value) for name, value in pairs}


def without_empty(fields: Fields) -> Fields:
    """Drop empty values, which clients send for unknown fields."""
    return {name: value for name, value in fields.items() if value not in ("", None)}


def hook_job(given: Fields) -> HookJob:
    if "profile" in given:
        raise AppError(400, "profile_gone", instead="watchFolder")
    return HookJob(
        path=_path(given, "path"),
        watch_folder=_watch_folder(given.get("watchFolder")),
        target=_path(given, "target") if "target" in given else None,
        review=_flag(given.get("review", False)),
        threshold=_threshold(given.get("threshold")),
    )


def _path(given: Fields, name: str) -> str:
    value = given.get(name)
    if value is None:
        raise AppError(400, "field_missing", field=name)
    if not isinstance(value, str) or len(value) > LONGEST or "\0" in value:
        raise _invalid(name)
    return value


def _watch_folder(value: object) -> int | str | None:
    if isinstance(value, str):
        value = value.strip()
        return int(value) if value.isascii() and value.isdigit() and len(value) < 19 else value
    if value is None or (_is_whole(value) and 0 < value <= LARGEST_ID):  # type: ignore[operator]
        return value  # type: ignore[return-value]
    raise _invalid("watchFolder")


def _flag(value: object) -> bool:
    text = str(value).strip().lower()
    if text in _YES:
        return True
    if text in _NO:
        return False
    raise _invalid("review")


def _threshold(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _invalid("threshold")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise _invalid("threshold") from None
    if math.isnan(number) or not 0 <= number <= 1:
        raise _invalid("threshold")
    return number


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _invalid(field: str) -> AppError:
    return AppError(400, "field_invalid", field=field)
