"""The template language: reads a template into parts, or says what is wrong and where.

`{n}` is a value, `{n|upper|truncate:20}` one with filters, `{?y}…{/}` stands if a value is known
and `{!y}…{/}` if it is not, `/` makes folders, and a backslash takes the next sign as it is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from quartet.kernel.errors import AppError
from quartet.media.naming.filters import FILTERS, ready
from quartet.media.naming.tokens import TOKENS
from quartet.media.naming.types import LONGEST_TEMPLATE

DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Literal:
    text: str


@dataclass(frozen=True, slots=True)
class Slash:
    pass


@dataclass(frozen=True, slots=True)
class Value:
    token: str
    filters: tuple[Callable[[str], str], ...]


@dataclass(frozen=True, slots=True)
class Condition:
    token: str
    wanted: bool
    parts: "Sequence[Part]"


Part = Literal | Slash | Value | Condition


@lru_cache(maxsize=256)
def compiled(template: str) -> tuple[Part, ...]:
    """The parts of a template; raises an `AppError` with the position of a mistake."""
    if len(template) > LONGEST_TEMPLATE:
        raise AppError(400, "template_too_long", limit=LONGEST_TEMPLATE)
    parts = tuple(_Reader(template).parts(None, 0))
    last = len(template.rstrip())
    if not parts or not last or isinstance(parts[-1], Slash):
        raise AppError(400, "template_without_name", position=last)
    return parts


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def parts(self, opened_at: int | None, depth: int) -> list[Part]:
        """Up to the end of the template, or of the condition that was opened."""
        if depth > DEEPEST:
            raise AppError(400, "template_too_deep", limit=DEEPEST, position=opened_at)
        found: list[Part] = []
        while self._at < len(self._text):
            if self._text.startswith("{/}", self._at):
                if opened_at is None:
                    raise AppError(400, "template_stray_end", position=self._at)
                self._at += 3
                return found
            found.append(self._part(depth))
        if opened_at is not None:
            raise AppError(400, "template_unclosed_condition", position=opened_at)
        return found

    def _part(self, depth: int) -> Part:
        sign = self._text[self._at]
        if sign == "/":
            self._at += 1
            return Slash()
        if sign == "}":
            raise AppError(400, "template_stray_brace", position=self._at)
        if sign != "{":
            return self._literal()
        start = self._at
        inside = self._braces()
        if inside[:1] in ("?", "!"):
            token = _known(inside[1:].strip(), start + 2)
            return Condition(token, inside[0] == "?", tuple(self.parts(start, depth + 1)))
        return _value(inside, start + 1)

    def _literal(self) -> Literal:
        text = ""
        while self._at < len(self._text) and (sign := self._text[self._at]) not in "{}/":
            if sign == "\\":
                self._at += 1
                sign = self._text[self._at : self._at + 1]
            text += sign
            self._at += 1
        return Literal(text)

    def _braces(self) -> str:
        """What stands between braces; a closing one inside quotes does not count."""
        start, quoted = self._at, False
        for at in range(start + 1, len(self._text)):
            sign = self._text[at]
            if sign == "'":
                quoted = not quoted
            elif sign == "}" and not quoted:
                self._at = at + 1
                return self._text[start + 1 : at]
        raise AppError(400, "template_unclosed_brace", position=start)


def _known(token: str, position: int) -> str:
    if token not in TOKENS:
        raise AppError(400, "template_unknown_token", token=token[:40], position=position)
    return token


def _value(inside: str, position: int) -> Value:
    name, *calls = _split(inside, "|")
    token = _known(name.strip(), position)
    filters = []
    at = position + len(name) + 1
    for call in calls:
        filters.append(_filter(call, at))
        at += len(call) + 1
    return Value(token, tuple(filters))


def _filter(call: str, position: int) -> Callable[[str], str]:
    name, *arguments = _split(call, ":")
    known = FILTERS.get(name.strip())
    if known is None:
        raise AppError(400, "template_unknown_filter", filter=name.strip()[:40], position=position)
    made = ready(known, [_unquoted(text) for text in arguments])
    if made is None:
        raise AppError(400, "template_bad_argument", filter=name.strip(), position=position)
    return made


def _split(text: str, separator: str) -> list[str]:
    """Splits outside of quotes."""
    pieces, quoted = [""], False
    for sign in text:
        quoted ^= sign == "'"
        if sign == separator and not quoted:
            pieces.append("")
        else:
            pieces[-1] += sign
    return pieces


def _unquoted(text: str) -> str:
    bare = text.strip()
    return bare[1:-1] if len(bare) > 1 and bare[0] == bare[-1] == "'" else text
