"""Parses the template language.

`{n}` is a value, `{n|upper|truncate:20}` one with filters. `{?y}…{/}` is used if the value is
known,
`{!y}…{/}` if it is not. `/` separates folders, and a backslash escapes the next character.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from quartet.kernel.errors import AppError
from quartet.media.naming.filters import FILTERS, bind_arguments
from quartet.media.naming.tokens import TOKENS
from quartet.media.naming.types import LONGEST_TEMPLATE

MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class LiteralText:
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
    parts: "Sequence[TemplatePart]"


TemplatePart = LiteralText | Slash | Value | Condition


@lru_cache(maxsize=256)
def compile_template(template: str) -> tuple[TemplatePart, ...]:
    """Return the parts of a template; raise an `AppError` with the position of an error."""
    if len(template) > LONGEST_TEMPLATE:
        raise AppError(400, "template_too_long", limit=LONGEST_TEMPLATE)
    parts = tuple(_TemplateParser(template).parts(None, 0))
    last = len(template.rstrip())
    if not parts or not last or isinstance(parts[-1], Slash):
        raise AppError(400, "template_without_name", position=last)
    return parts


class _TemplateParser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def parts(self, opened_at: int | None, depth: int) -> list[TemplatePart]:
        """Parse up to the end of the template or of the open condition."""
        if depth > MAX_DEPTH:
            raise AppError(400, "template_too_deep", limit=MAX_DEPTH, position=opened_at)
        found: list[TemplatePart] = []
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

    def _part(self, depth: int) -> TemplatePart:
        character = self._text[self._at]
        if character == "/":
            self._at += 1
            return Slash()
        if character == "}":
            raise AppError(400, "template_stray_brace", position=self._at)
        if character != "{":
            return self._literal()
        start = self._at
        inside = self._braces()
        if inside[:1] in ("?", "!"):
            token = _known(inside[1:].strip(), start + 2)
            return Condition(token, inside[0] == "?", tuple(self.parts(start, depth + 1)))
        return _value(inside, start + 1)

    def _literal(self) -> LiteralText:
        text = ""
        while self._at < len(self._text) and (character := self._text[self._at]) not in "{}/":
            if character == "\\":
                self._at += 1
                character = self._text[self._at : self._at + 1]
            text += character
            self._at += 1
        return LiteralText(text)

    def _braces(self) -> str:
        """Return the text between braces; a closing brace inside quotes does not count."""
        start, quoted = self._at, False
        for at in range(start + 1, len(self._text)):
            character = self._text[at]
            if character == "'":
                quoted = not quoted
            elif character == "}" and not quoted:
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
    made = bind_arguments(known, [_unquoted(text) for text in arguments])
    if made is None:
        raise AppError(400, "template_bad_argument", filter=name.strip(), position=position)
    return made


def _split(text: str, separator: str) -> list[str]:
    """Split outside of quotes."""
    pieces, quoted = [""], False
    for character in text:
        quoted ^= character == "'"
        if character == separator and not quoted:
            pieces.append("")
        else:
            pieces[-1] += character
    return pieces


def _unquoted(text: str) -> str:
    bare = text.strip()
    return bare[1:-1] if len(bare) > 1 and bare[0] == bare[-1] == "'" else text
