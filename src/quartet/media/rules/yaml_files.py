"""Exports and imports rule sets as YAML."""

from typing import Any

import msgspec
import yaml

from quartet.kernel.errors import AppError
from quartet.media.rules.types import NewRuleSet

_VERSION_KEY = "quartet_rules"
_VERSION = 1
_MOST_LEVELS = 20
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def to_yaml(given: NewRuleSet) -> str:
    content = {_VERSION_KEY: _VERSION, **msgspec.to_builtins(given)}
    text: str = yaml.safe_dump(content, allow_unicode=True, sort_keys=False)
    return text


def from_yaml(text: str) -> NewRuleSet:
    content = _load_yaml(text)
    version = content.get(_VERSION_KEY)
    if version != _VERSION:
        raise AppError(400, "rules_version_unknown", version=str(version)[:20])
    try:
        return msgspec.convert(content, NewRuleSet)
    except msgspec.ValidationError as error:
        # The message ends with the place, such as `- at $.rules[2].find`.
        place = str(error).rpartition("`")[0].rpartition("`")[2]
        raise AppError(400, "rules_invalid", place=place) from None


def _load_yaml(text: str) -> dict[str, Any]:
    try:
        _check_events(text)
        content = yaml.load(text, _LOADER)  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise AppError(400, "rules_file_invalid", line=line) from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise AppError(400, "rules_file_invalid", line=0) from None
    if not isinstance(content, dict):
        raise AppError(400, "rules_file_invalid", line=1)
    return content


def _check_events(text: str) -> None:
    """Refuse aliases, of which a few lines can expand to gigabytes, and deep nesting, for which
    the parser needs minutes.
    """
    level = 0
    for event in yaml.parse(text, _LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1
        if level > _MOST_LEVELS or isinstance(event, yaml.AliasEvent):
            raise AppError(400, "rules_file_invalid", line=event.start_mark.line + 1)
