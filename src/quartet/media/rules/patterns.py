"""Regular expressions from users, with clear errors and a time limit."""

import re
from functools import lru_cache
from typing import Protocol

from quartet.kernel.errors import AppError

_SECONDS = 0.2
_GROUP = re.compile(r"\$(?:(\d{1,2})|\{(\w{1,40})\}|(\$))")


class PatternMatch(Protocol):
    """The part of a regex match that is used."""

    def group(self, name: int | str) -> str | None: ...

    def start(self) -> int: ...

    def end(self) -> int: ...


class Pattern:
    """`place` is the index of the rule, for error messages."""

    def __init__(self, text: str, *, is_regex: bool, case_sensitive: bool, place: int) -> None:
        # Imported here because it takes a quarter of a second and only patterns need it.
        import regex  # type: ignore[import-untyped]

        self._place = place
        flags = regex.VERSION0 | (0 if case_sensitive else regex.IGNORECASE)
        try:
            self._compiled = regex.compile(text if is_regex else re.escape(text), flags)
        except (regex.error, OverflowError, RecursionError, ValueError) as error:
            position = getattr(error, "pos", None) or 0
            raise AppError(400, "pattern_invalid", rule=place, position=position) from None

    def search(self, text: str) -> PatternMatch | None:
        try:
            found: PatternMatch | None = self._compiled.search(
                text, timeout=_SECONDS, concurrent=True
            )
            return found
        except TimeoutError:
            raise self._too_slow() from None

    def replace(self, text: str, replacement: str, count: int) -> str:
        """Expand `$1` and `${name}` to groups; unmatched groups are empty."""

        def expanded(found: PatternMatch) -> str:
            return _GROUP.sub(lambda mark: self._group(found, mark), replacement)

        try:
            changed: str = self._compiled.sub(
                expanded, text, count=count, timeout=_SECONDS, concurrent=True
            )
            return changed
        except TimeoutError:
            raise self._too_slow() from None

    def _group(self, found: PatternMatch, mark: re.Match[str]) -> str:
        if mark[3]:
            return "$"
        try:
            return found.group(int(mark[1]) if mark[1] else mark[2]) or ""
        except IndexError:
            raise AppError(400, "pattern_group_unknown", rule=self._place, group=mark[0]) from None

    def _too_slow(self) -> AppError:
        return AppError(400, "pattern_too_slow", rule=self._place)


@lru_cache(maxsize=256)
def pattern(text: str, is_regex: bool, case_sensitive: bool, place: int) -> Pattern:
    return Pattern(text, is_regex=is_regex, case_sensitive=case_sensitive, place=place)
