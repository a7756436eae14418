"""The parts of a naming scheme of another program, and the template that means the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from quartet.kernel.errors import AppError
from quartet.media.naming.types import LONGEST_SAVED, LONGEST_TEMPLATE, SchemeProblem


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class SchemeToken:
    """A value with the filters of our templates, such as `space:'.'`."""

    name: str
    filters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parts:
    """Each part is used even if another is not."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """Used as a whole or, if one of its values is unknown, not at all."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """`yes` if the value is known, otherwise `no`."""

    token: str
    yes: "Node"
    no: "Node"


@dataclass(frozen=True, slots=True)
class FirstKnown:
    options: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that we do not have."""


@dataclass(frozen=True, slots=True)
class Template:
    """A template in our own syntax, which is used unchanged."""

    text: str


Node = Text | SchemeToken | Parts | Unit | Choice | FirstKnown | Missing | Template
NOTHING = Text("")


@dataclass
class Problems:
    """What could not be translated, in the order of the scheme and without repetitions."""

    found: list[SchemeProblem] = field(default_factory=list)

    def dropped(self, text: str) -> None:
        self._add(SchemeProblem(text.strip(), "dropped"))

    def approximated(self, text: str) -> None:
        self._add(SchemeProblem(text.strip(), "approximated"))

    def _add(self, problem: SchemeProblem) -> None:
        if problem not in self.found:
            self.found.append(problem)


def filtered(node: Node, name: str, *arguments: str) -> Node:
    """Apply a filter to every value of a node, and where it changes literal text, to that too."""
    match node:
        case SchemeToken():
            quoted = "".join(f":{_quoted(text)}" for text in arguments)
            return replace(node, filters=(*node.filters, f"{name}{quoted}"))
        case Text():
            return Text(_changed(node.text, name, arguments))
        case Parts() | Unit():
            return replace(node, parts=tuple(filtered(one, name, *arguments) for one in node.parts))
        case Choice():
            yes, no = (filtered(one, name, *arguments) for one in (node.yes, node.no))
            return replace(node, yes=yes, no=no)
        case FirstKnown():
            return FirstKnown(tuple(filtered(one, name, *arguments) for one in node.options))
        case _:
            return node


def _changed(text: str, name: str, arguments: Sequence[str]) -> str:
    match name:
        case "upper":
            return text.upper()
        case "lower":
            return text.lower()
        case "space":
            return text.replace(" ", arguments[0])
        case "replace":
            return text.replace(arguments[0], arguments[1])
        case _:
            return text


def _quoted(argument: str) -> str:
    return argument if argument.isdecimal() else f"'{argument}'"


def required(node: Node) -> list[str] | None:
    """Return the values without which a node is not used; None if it never is."""
    match node:
        case Missing():
            return None
        case SchemeToken():
            return [node.name]
        case Unit():
            found: list[str] = []
            for part in node.parts:
                needed = required(part)
                if needed is None:
                    return None
                found += [name for name in needed if name not in found]
            return found
        case _:
            return []


def emit(node: Node) -> str:
    """Return the template of a node."""
    match node:
        case Text():
            return "".join(f"\\{one}" if one in "{}\\" else one for one in node.text)
        case SchemeToken():
            return "{" + "|".join([node.name, *node.filters]) + "}"
        case Parts():
            return "".join(emit(part) for part in node.parts)
        case Template():
            return node.text
        case Missing():
            return ""
        case Choice():
            return _either([node.token], _unit(node.yes, node.token), emit(node.no))
        case Unit():
            return _unit(node)
        case FirstKnown():
            return _first_known(node.options)


def _unit(node: Node, known: str | None = None) -> str:
    """Return the template of a unit that is used only if its values except `known` are known."""
    if not isinstance(node, Unit):
        return emit(node)
    needed = required(node)
    if needed is None:
        return ""
    alone = len(node.parts) == 1 and isinstance(node.parts[0], SchemeToken)
    conditions = [] if alone else [name for name in needed if name != known]
    return _either(conditions, "".join(_bare(node)), "")


def _first_known(options: Sequence[Node]) -> str:
    if not options:
        return ""
    needed = required(options[0])
    if needed is None:
        return _first_known(options[1:])
    inside = "".join(_bare(options[0]))
    return _either(needed, inside, _first_known(options[1:])) if needed else inside


def _bare(node: Node) -> Iterator[str]:
    """A unit whose values are checked by the caller needs no conditions."""
    for part in node.parts if isinstance(node, Unit) else (node,):
        yield from (_bare(part) if isinstance(part, Unit) else [emit(part)])


def _either(tokens: Sequence[str], yes: str, no: str) -> str:
    for token in reversed(tokens):
        yes = (f"{{?{token}}}{yes}{{/}}" if yes else "") + (f"{{!{token}}}{no}{{/}}" if no else "")
        if len(yes) > LONGEST_TEMPLATE:
            # Nested alternatives could multiply the text.
            raise AppError(400, "template_too_long", limit=LONGEST_SAVED)
    return yes
