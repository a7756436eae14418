"""Runs the patterns of rules on many names at once and turns failures into error codes."""

import re
from collections.abc import Sequence

from quartet.kernel.errors import AppError
from quartet.kernel.user_patterns import PatternError, UserPatterns
from quartet.media.rules.types import LONGEST_TEXT, CutAfter, Replace

Span = tuple[int, int]


def substitute(
    rule: Replace, texts: Sequence[str], place: int, patterns: UserPatterns
) -> list[str]:
    """Replace the first or every match in each text; `place` is the rule's index, for errors."""
    count = 0 if rule.all else 1
    if not rule.regex:
        plain = _plain(rule.find, case_sensitive=rule.case_sensitive)
        # Without a pattern, nothing in the replacement has a special meaning.
        # Shortened one by one: all of them together could take gigabytes.
        return [
            plain.sub(lambda _: rule.replace, text, count=count)[:LONGEST_TEXT] for text in texts
        ]
    try:
        return patterns.substitute(
            rule.find, rule.replace, texts, case_sensitive=rule.case_sensitive, count=count
        )
    except PatternError as error:
        raise _refusal(error, place) from None


def find(
    rule: CutAfter, texts: Sequence[str], place: int, patterns: UserPatterns
) -> list[Span | None]:
    if not rule.regex:
        plain = _plain(rule.pattern, case_sensitive=False)
        return [match.span() if (match := plain.search(text)) else None for text in texts]
    try:
        return patterns.search(rule.pattern, texts, case_sensitive=False)
    except PatternError as error:
        raise _refusal(error, place) from None


def _plain(text: str, *, case_sensitive: bool) -> re.Pattern[str]:
    return re.compile(re.escape(text), 0 if case_sensitive else re.IGNORECASE)


def _refusal(error: PatternError, place: int) -> AppError:
    match error.kind:
        case "invalid":
            return AppError(400, "pattern_invalid", rule=place, position=error.position)
        case "group_unknown":
            return AppError(400, "pattern_group_unknown", rule=place, group=error.group)
        case "too_large":
            return AppError(400, "pattern_too_large", rule=place)
        case _:
            return AppError(400, "pattern_too_slow", rule=place)
