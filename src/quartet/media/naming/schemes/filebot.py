"""Translates the format expressions of FileBot, whose tokens ours resemble."""

import re
from collections.abc import Mapping
from functools import reduce

from quartet.media.naming.presets import PRESETS
from quartet.media.naming.schemes.filebot_syntax import (
    Any,
    Binding,
    Call,
    Expression,
    Literal,
    Not,
    Sum,
    Ternary,
    Untranslatable,
    closing_brace,
    parse_expression,
)
from quartet.media.naming.schemes.nodes import (
    NOTHING,
    Choice,
    FirstKnown,
    Missing,
    Node,
    Parts,
    Problems,
    SchemeToken,
    Template,
    Text,
    Unit,
    filtered,
)
from quartet.media.types import Kind

_SAME = (
    "n y s e s00 e00 s00e00 sxe t d absolute vf vc ac af hdr source group lang edition id ext"
    " rating collection genre"
)
_TOKENS: Mapping[str, str] = {
    **{name: name for name in _SAME.split()},
    "airdate": "d",
    "episode.title": "t",
    "movie.name": "n",
    "series.name": "n",
    "primaryTitle": "orig",
    "channels": "af",
    "vs": "source",
    "pi": "part",
    "imdb": "imdb",
    "imdbid": "imdb",
    "tmdbid": "tmdb",
    "tvdbid": "tvdb",
}
# Ours is similar, but not the same.
_SIMILAR: Mapping[str, str] = {
    "es": "e",
    "tags": "edition",
    "audioLanguages": "lang",
    "resolution": "vf",
    "hd": "vf",
    "vcf": "vc",
    "acf": "ac",
    "cf": "ext",
    "type": "kind",
}
_NAME_AND_YEAR = Parts((SchemeToken("n"), Unit((Text(" ("), SchemeToken("y"), Text(")")))))
# A method with its arguments, and our filters that do the same.
_FILTERS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("upper",): ("upper",),
    ("lower",): ("lower",),
    ("upperInitial",): ("title",),
    ("ascii",): ("ascii",),
    ("trim",): ("trim",),
    ("sortInitial",): ("sort", "first"),
    ("sortName", "$2, $1"): ("sort",),
}
# Our names are valid on every disk without them.
_NEEDLESS = {"colon", "slash", "validateFileName", "validateFilePath", "clean", "toString"}
_LENGTHS = {"truncate", "take"}
_REGEX_SIGNS = re.compile(r"[][\\^$.|?*+(){}]")


def translate_filebot(scheme: str, kind: Kind, problems: Problems) -> Node:
    parts: list[Node] = []
    at = 0
    while at < len(scheme):
        if scheme[at] == "\\" and at + 1 < len(scheme):
            parts.append(Text(scheme[at + 1]))
            at += 2
        elif scheme[at] == "{" and (end := closing_brace(scheme, at + 1)) > 0:
            parts.append(_expression(scheme[at + 1 : end], kind, problems))
            at = end + 1
        else:
            parts.append(Text(scheme[at]))
            at += 1
    return Parts(tuple(parts))


def _expression(text: str, kind: Kind, problems: Problems) -> Node:
    try:
        return _FilebotTranslator(kind, problems).node(parse_expression(text))
    except Untranslatable:
        problems.dropped(f"{{{text}}}")
        return Missing()


class _FilebotTranslator:
    def __init__(self, kind: Kind, problems: Problems) -> None:
        self._kind = kind
        self._problems = problems

    def node(self, expression: Expression) -> Node:
        match expression:
            case Literal():
                return Text(expression.text)
            case Binding():
                return self._binding(expression.name)
            case Sum():
                return Unit(tuple(self.node(part) for part in expression.parts))
            case Any():
                return FirstKnown(tuple(self.node(one) for one in expression.options))
            case Ternary():
                return self._ternary(expression)
            case Call():
                return self._call(expression)
            case Not():
                raise Untranslatable

    def _binding(self, name: str) -> Node:
        if name in _TOKENS:
            return SchemeToken(_TOKENS[name])
        if name == "ny":
            return _NAME_AND_YEAR
        if name == "az":
            return SchemeToken("n", ("sort", "first"))
        for preset in PRESETS:
            if preset.id == f"{name}-{self._kind}":
                return Template(preset.template)
        if name in _SIMILAR:
            self._problems.approximated(f"{{{name}}}")
            return SchemeToken(_SIMILAR[name])
        self._problems.dropped(f"{{{name}}}")
        return Missing()

    def _ternary(self, expression: Ternary) -> Node:
        condition, yes, no = expression.condition, expression.yes, expression.no
        if isinstance(condition, Not):
            condition, yes, no = condition.subject, no, yes
        if not isinstance(condition, Binding):
            raise Untranslatable
        known = self._binding(condition.name)
        if isinstance(known, Missing):
            return self.node(no)
        if not isinstance(known, SchemeToken):
            raise Untranslatable
        return Choice(known.name, self.node(yes), self.node(no) if no != Literal("") else NOTHING)

    def _call(self, call: Call) -> Node:
        subject = self.node(call.subject)
        arguments = [one.text if isinstance(one, Literal) else None for one in call.arguments]
        if isinstance(subject, Missing) or call.method in _NEEDLESS:
            return subject
        texts = [text for text in arguments if text is not None]
        done = _with_method(subject, call.method, texts) if len(texts) == len(arguments) else None
        if done is None:
            self._problems.dropped(f".{call.method}()" if call.method != "[]" else "[…]")
            return subject
        return done


def _with_method(subject: Node, method: str, arguments: list[str]) -> Node | None:
    """Return None if no filter does the same."""
    if any("'" in text for text in arguments):
        return None
    if same := _FILTERS.get((method, *arguments)):
        return reduce(filtered, same, subject)
    match method, arguments:
        case "space", [text]:
            return filtered(subject, "space", text)
        case "replace", [old, new] if old:
            return filtered(subject, "replace", old, new)
        case (("replaceAll" | "removeAll"), [pattern, *rest]):
            return _replaced(subject, pattern, rest[0] if rest else "")
        case "pad", [digits] if digits.isdecimal():
            return _padded(subject, digits)
        case "[]", ["0"]:
            return filtered(subject, "first")
        case _, [length] if method in _LENGTHS and length.isdecimal():
            return filtered(subject, "truncate", length)
        case _:
            return None


def _replaced(subject: Node, pattern: str, new: str) -> Node | None:
    if pattern in (r"\s", r"\s+", " ", "[ ]", r"[\s]"):
        return filtered(subject, "space", new)
    plain = re.sub(r"\\(\W)", r"\1", pattern)
    if not plain or "$" in new or _REGEX_SIGNS.search(re.sub(r"\\\W", "", pattern)):
        return None
    return filtered(subject, "replace", plain, new)


def _padded(subject: Node, digits: str) -> Node:
    match subject, digits:
        case SchemeToken("s" | "e" as name, ()), "2":
            return SchemeToken(f"{name}00")
        case SchemeToken("absolute", ()), "3":
            return SchemeToken("abs")
        case _:
            return filtered(subject, "pad", digits)
