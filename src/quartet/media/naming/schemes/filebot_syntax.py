"""Parses the expressions of FileBot, which are a part of Groovy.

Examples are `n.upper()`, `' (' + y + ')'`, `any{x}{y}` and `if (pi) "CD$pi"`.
"""

import re
from dataclasses import dataclass

_NAME = re.compile(r"[A-Za-z_]\w*")
_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(r"\d+")
_DEEPEST = 20


class Untranslatable(Exception):
    """The expression uses more of Groovy than this parser knows."""


@dataclass(frozen=True, slots=True)
class Literal:
    text: str


@dataclass(frozen=True, slots=True)
class Binding:
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    subject: "Expression"
    method: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Sum:
    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Ternary:
    condition: "Expression"
    yes: "Expression"
    no: "Expression"


@dataclass(frozen=True, slots=True)
class Any:
    options: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Not:
    subject: "Expression"


Expression = Literal | Binding | Call | Sum | Ternary | Any | Not


def closing_brace(text: str, start: int) -> int:
    """Return the position of the brace that closes the one before `start`; -1 without one."""
    depth, quote, at = 1, "", start
    while at < len(text):
        one = text[at]
        if one == "\\":
            at += 1
        elif quote:
            quote = "" if one == quote else quote
        elif one in "'\"" or (one == "/" and text[:at].rstrip()[-1:] in ("(", ",")):
            quote = one
        elif one in "{}":
            depth += 1 if one == "{" else -1
            if not depth:
                return at
        at += 1
    return -1


def parse_expression(text: str, depth: int = 0) -> Expression:
    if depth > _DEEPEST:
        raise Untranslatable
    parser = _Parser(text, depth)
    found = parser.statement()
    if not parser.at_end():
        raise Untranslatable
    return found


class _Parser:
    def __init__(self, text: str, depth: int) -> None:
        self._text = text
        self._at = 0
        self._depth = depth

    def at_end(self) -> bool:
        self._skip_space()
        return self._at >= len(self._text)

    def statement(self) -> Expression:
        if not self._keyword("if"):
            return self._ternary()
        self._descend()
        self._expect("(")
        condition = self._ternary()
        self._expect(")")
        yes = self._branch()
        return Ternary(condition, yes, self._branch() if self._keyword("else") else Literal(""))

    def _branch(self) -> Expression:
        if self._next("{"):
            return self._block()
        return self.statement()

    def _block(self) -> Expression:
        end = closing_brace(self._text, self._at)
        if end < 0:
            raise Untranslatable
        inside, self._at = self._text[self._at : end], end + 1
        return parse_expression(inside, self._depth + 1)

    def _ternary(self) -> Expression:
        self._descend()
        left = self._sum()
        if self._next("?:"):
            left = Any((left, self._ternary()))
        elif self._next("?"):
            yes = self._ternary()
            self._expect(":")
            left = Ternary(left, yes, self._ternary())
        self._depth -= 1
        return left

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Untranslatable

    def _sum(self) -> Expression:
        parts = [self._postfix()]
        while self._next("+"):
            parts.append(self._postfix())
        return parts[0] if len(parts) == 1 else Sum(tuple(parts))

    def _postfix(self) -> Expression:
        subject = self._primary()
        while True:
            if self._next("["):
                index = self._ternary()
                self._expect("]")
                subject = Call(subject, "[]", (index,))
            elif self._next(".") or self._next("?.") or self._next("*."):
                subject = self._member(subject)
            else:
                return subject

    def _member(self, subject: Expression) -> Expression:
        name = self._name()
        if self._next("("):
            return Call(subject, name, self._arguments(")"))
        if isinstance(subject, Binding):
            return Binding(name if subject.name == "self" else f"{subject.name}.{name}")
        raise Untranslatable

    def _arguments(self, end: str) -> tuple[Expression, ...]:
        found: list[Expression] = []
        while not self._next(end):
            if found:
                self._expect(",")
            found.append(self._ternary())
        return tuple(found)

    def _primary(self) -> Expression:
        self._skip_space()
        one = self._text[self._at : self._at + 1]
        if self._next("!"):
            return Not(Binding(self._name()))
        if self._next("("):
            inside = self._ternary()
            self._expect(")")
            return inside
        if self._next("["):
            items = self._arguments("]")
            parts = [part for item in items for part in (Literal(", "), item)]
            return Sum(tuple(parts[1:]))
        if one and one in "'\"/":
            return self._string(one)
        if number := _NUMBER.match(self._text, self._at):
            self._at = number.end()
            return Literal(number[0])
        name = self._name()
        return Any(self._closures()) if name == "any" else Binding(name)

    def _closures(self) -> tuple[Expression, ...]:
        found = []
        while self._next("{"):
            found.append(self._block())
        return tuple(found)

    def _string(self, quote: str) -> Expression:
        self._at += 1
        parts: list[Expression] = []
        text = ""
        while (one := self._text[self._at : self._at + 1]) != quote:
            if not one:
                raise Untranslatable
            self._at += 1
            if one == "$" and quote == '"':
                parts += [Literal(text), self._interpolated()]
                text = ""
            elif one == "\\" and quote != "/":
                text += self._text[self._at : self._at + 1]
                self._at += 1
            else:
                text += one
        self._at += 1
        parts = [part for part in [*parts, Literal(text)] if part != Literal("")]
        return parts[0] if len(parts) == 1 else Sum(tuple(parts)) if parts else Literal("")

    def _interpolated(self) -> Expression:
        if self._text.startswith("{", self._at):
            self._at += 1
            return self._block()
        found: Expression = Binding(self._name())
        while self._text.startswith(".", self._at) and _NAME.match(self._text, self._at + 1):
            self._at += 1
            found = self._member_without_call(found)
        return found

    def _member_without_call(self, subject: Expression) -> Expression:
        if not isinstance(subject, Binding):
            raise Untranslatable
        return Binding(f"{subject.name}.{self._name()}")

    def _name(self) -> str:
        self._skip_space()
        found = _NAME.match(self._text, self._at)
        if found is None:
            raise Untranslatable
        self._at = found.end()
        return found[0]

    def _keyword(self, word: str) -> bool:
        self._skip_space()
        found = _NAME.match(self._text, self._at)
        if found is None or found[0] != word:
            return False
        self._at = found.end()
        return True

    def _next(self, text: str) -> bool:
        self._skip_space()
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _expect(self, text: str) -> None:
        if not self._next(text):
            raise Untranslatable

    def _skip_space(self) -> None:
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at
